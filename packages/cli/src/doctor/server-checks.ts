/** Whether Postgres and Redis of a deployment answer the operator. */
import { readHaltStatus } from '@sallyport/shared/db/views/halt-status';
import { readQueueDepths } from '@sallyport/shared/queue/depths';
import type { Connection } from '../operate/connect.ts';
import type { Check } from './check.ts';

const PATIENCE_MS = 10_000;

/** Asks each for something that only a server of this deployment can answer. */
export async function checkServers(connection: Connection): Promise<Check[]> {
  const { deployment, db, redisUrl } = connection;
  const postgres = check(
    'postgres',
    `Postgres answers for deployment ${deployment}`,
    'start the server that DATABASE_URL_FILE names, and sallyport migrate if it is a new one',
    () => readHaltStatus(db),
  );
  if (redisUrl === undefined) return [await postgres];
  const redis = check(
    'redis',
    `Redis answers for deployment ${deployment}`,
    'start the server that REDIS_URL_FILE names; an empty one will do, what is due comes back',
    () => readQueueDepths(redisUrl, deployment),
  );
  return Promise.all([postgres, redis]);
}

async function check(
  id: string,
  good: string,
  mend: string,
  ask: () => Promise<unknown>,
): Promise<Check> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('no answer within ten seconds')), PATIENCE_MS);
  });
  try {
    await Promise.race([ask(), late]);
    return { id, result: 'pass', message: good, mend: null };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { id, result: 'fail', message, mend };
  } finally {
    clearTimeout(timer);
  }
}
