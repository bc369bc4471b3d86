/** A program that does what `up` and `demo` do with their servers: starts both, says so, and lives until it is ended. */
import { join } from 'node:path';
import { startEmbeddedPostgres } from '@sallyport/cli/local/embedded-postgres';
import { startEmbeddedRedis } from '@sallyport/cli/local/embedded-redis';
import { createTemporaryDirectory } from '@sallyport/cli/local/temporary';

const temporary = createTemporaryDirectory();
const common = {
  temporaryDir: temporary.path,
  password: 'test',
  durability: 'lost_on_crash',
} as const;
const servers = await Promise.all([
  startEmbeddedPostgres({ ...common, dataDir: join(temporary.path, 'pg-data') }),
  startEmbeddedRedis({ ...common, dataDir: join(temporary.path, 'redis-data') }),
]);
process.stdout.write(
  `${JSON.stringify({ directory: temporary.path, pids: servers.map(({ pid }) => pid) })}\n`,
);
setInterval(() => undefined, 60_000);
