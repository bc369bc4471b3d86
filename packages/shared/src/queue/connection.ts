/**
 * Connections to Redis. A consumer's connection waits for ever (a lost Redis is an interruption, not an end); a
 * producer's fails fast, because its outbox row stays and is tried again. A Redis that is there and refuses this process
 * is neither: `onForbidden` is told, because waiting will not mend a wrong password.
 */
import { Redis } from 'ioredis';
import type { Logger } from '../log.ts';

type OnForbidden = (error: unknown) => void;

export function connectConsumer(url: string, log: Logger, onForbidden?: OnForbidden): Redis {
  const redis = new Redis(url, { maxRetriesPerRequest: null, retryStrategy: backoff });
  return attach(redis, log, onForbidden);
}

export function connectProducer(url: string, log: Logger, onForbidden?: OnForbidden): Redis {
  const redis = new Redis(url, {
    maxRetriesPerRequest: 1,
    commandTimeout: 5000,
    retryStrategy: backoff,
  });
  return attach(redis, log, onForbidden);
}

function backoff(times: number): number {
  return Math.min(100 * 2 ** Math.min(times, 6), 3000) + Math.floor(Math.random() * 200);
}

function attach(redis: Redis, log: Logger, onForbidden: OnForbidden | undefined): Redis {
  let told = false;
  redis.on('error', (error: Error) => {
    if (isPermissionError(error)) onForbidden?.(error);
    // One line per outage: a reconnecting client repeats its error several times a second.
    if (!told) log.warn({ err: error }, 'redis connection failed');
    told = true;
  });
  redis.on('ready', () => {
    told = false;
  });
  return redis;
}

// Outside a script Redis answers NOPERM; inside one it says in words what the script's user may not do.
const REFUSAL =
  /^(?:ReplyError: )?(?:NOPERM|NOAUTH|WRONGPASS)\b|The user executing the script can't/;

/** Whether Redis refused a command for lack of a right. Nothing will mend it but the operator: the process must stop. */
export function isPermissionError(error: unknown): boolean {
  return error instanceof Error && REFUSAL.test(error.message);
}
