/**
 * LISTEN on one connection of its own, reconnecting for ever. A nudge is a hint: a listener that was away for a minute
 * has lost some, so every reconnect counts as a nudge on every topic, and whoever listens also sweeps.
 */
import pg from 'pg';
import type { Logger } from '../log.ts';
import { connectionSettings, type PoolOptions } from './pool.ts';

export const TOPICS = [
  'outbox',
  'github_request',
  'halt',
  'timeline',
  'bundle_import',
  'operator_act',
] as const;
export type Topic = (typeof TOPICS)[number];

export interface Listener {
  /** Calls `handle` with the payload of each nudge, and with '' after each (re)connect. */
  on(topic: Topic, handle: (payload: string) => void): void;
  close(): Promise<void>;
}

const RECONNECT_MS = 500;

export function createListener(options: PoolOptions, log: Logger): Listener {
  const handlers = new Map<Topic, Set<(payload: string) => void>>();
  let client: pg.Client | undefined;
  let closed = false;
  let timer: NodeJS.Timeout | undefined;

  function channel(topic: Topic): string {
    return `"${options.deployment}.${topic}"`;
  }

  async function connect(): Promise<void> {
    if (closed) return;
    const next = new pg.Client(connectionSettings(options));
    next.on('error', () => reconnect(next));
    next.on('end', () => reconnect(next));
    next.on('notification', (message) => {
      const topic = message.channel.slice(options.deployment.length + 1) as Topic;
      for (const handle of handlers.get(topic) ?? []) handle(message.payload ?? '');
    });
    client = next;
    try {
      await next.connect();
      for (const topic of handlers.keys()) await next.query(`listen ${channel(topic)}`);
      for (const set of handlers.values()) for (const handle of set) handle('');
    } catch (error) {
      log.warn({ err: error }, 'listening failed');
      reconnect(next);
    }
  }

  function reconnect(lost: pg.Client): void {
    if (closed || client !== lost || timer !== undefined) return;
    client = undefined;
    lost.end().catch(() => {});
    timer = setTimeout(() => {
      timer = undefined;
      turn = turn.then(connect);
    }, RECONNECT_MS);
  }

  // One statement at a time: the driver is about to refuse a second one on the same connection.
  let turn = connect();
  return {
    on(topic, handle) {
      const known = handlers.get(topic);
      if (known) known.add(handle);
      else {
        handlers.set(topic, new Set([handle]));
        turn = turn
          .then(() => client?.query(`listen ${channel(topic)}`))
          // A connection that is lost says so itself, and the next one listens to everything.
          .then(
            () => {},
            () => {},
          );
      }
    },
    async close() {
      closed = true;
      clearTimeout(timer);
      const last = client;
      client = undefined;
      await last?.end().catch(() => {});
    },
  };
}
