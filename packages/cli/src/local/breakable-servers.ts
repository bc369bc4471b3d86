/**
 * The embedded servers of a deployment that nobody will miss, made to fail on request: stopped and started again in the
 * middle of work. What a test shows with it is that Postgres remembers and Redis only carries.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { listRedisUsers } from '@sallyport/shared/queue/provision-users';
import type { EmbeddedServer } from './embedded-postgres.ts';

export interface BreakableServers {
  /** Stops Postgres in order, waits, starts it on the same data at the same place. */
  restartPostgres(downMs: number): Promise<void>;
  /** Stops Redis with all that is in it, waits, starts it empty with the same users. */
  restartRedis(downMs: number): Promise<void>;
  /** With the rights of the server's administrator. */
  readonly redisUrl: string;
}

/** An embedded server that can be started again; its URL stays the same. */
export interface RestartableServer {
  readonly url: string;
  stop(): Promise<void>;
  /** Stops it, waits, and starts it again; `aclFile` is handed to the start. */
  restart(downMs: number, aclFile?: string): Promise<void>;
}

/** Starts the server. @throws what `start` throws. */
export async function startRestartable(
  start: (aclFile?: string) => Promise<EmbeddedServer>,
): Promise<RestartableServer> {
  let server = await start();
  let over = false;
  return {
    url: server.url,
    async stop() {
      over = true;
      await server.stop();
    },
    async restart(downMs, aclFile) {
      await server.stop();
      await sleep(downMs);
      if (!over) server = await start(aclFile);
    },
  };
}

/** What can be done to the two; `secretsDir` takes the list of Redis' users meanwhile. */
export function createBreakableServers(
  postgres: RestartableServer,
  redis: RestartableServer,
  secretsDir: string,
): BreakableServers {
  return {
    redisUrl: redis.url,
    restartPostgres: (downMs) => postgres.restart(downMs),
    async restartRedis(downMs) {
      const users = await listRedisUsers(redis.url);
      const aclFile = join(secretsDir, 'redis-users.acl');
      writeFileSync(aclFile, `${users.join('\n')}\n`, { mode: 0o600 });
      await redis.restart(downMs, aclFile);
    },
  };
}
