/**
 * The servers of the integration suite: one PostgreSQL and one Redis for all its files, which keep apart by deployment id.
 * A server that DATABASE_URL_FILE or REDIS_URL_FILE names is used as it is: never stopped, never emptied.
 */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { startEmbeddedPostgres, type EmbeddedServer } from '@sallyport/cli/local/embedded-postgres';
import { startEmbeddedRedis } from '@sallyport/cli/local/embedded-redis';
import { readExternalServers } from '@sallyport/cli/local/external-servers';
import { createTemporaryDirectory } from '@sallyport/cli/local/temporary';

declare module 'vitest' {
  interface ProvidedContext {
    /** A superuser's URL; test files make their own roles and schema with it. */
    adminDatabaseUrl: string;
    /** A URL whose user may do anything; test files make their own ACL users and key prefix with it. */
    redisUrl: string;
  }
}

/** Starts what the environment does not provide, gives the URLs to the tests, and returns what ends it again. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const external = readExternalServers(process.env);
  const temporary = createTemporaryDirectory();
  const password = randomBytes(24).toString('hex');
  const common = { temporaryDir: temporary.path, password, durability: 'lost_on_crash' } as const;
  const started: EmbeddedServer[] = [];

  async function start(server: Promise<EmbeddedServer>): Promise<string> {
    const running = await server;
    started.push(running);
    return running.url;
  }
  async function end(): Promise<void> {
    await Promise.all(started.map((server) => server.stop()));
    temporary.remove();
  }

  try {
    const redisUrl =
      external.redisUrl ??
      (await start(startEmbeddedRedis({ ...common, dataDir: join(temporary.path, 'redis-data') })));
    const databaseUrl =
      external.databaseUrl ??
      (await start(startEmbeddedPostgres({ ...common, dataDir: join(temporary.path, 'pg-data') })));
    project.provide('redisUrl', redisUrl);
    project.provide('adminDatabaseUrl', databaseUrl);
  } catch (error) {
    await end();
    throw error;
  }
  return end;
}
