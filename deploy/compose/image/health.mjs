/**
 * The health check of the containers that listen to nobody: whether this container's process has reported itself alive to
 * the database within the last ten seconds, asked with that process's own rights. Exit codes: 0 yes, 1 no.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { hostname } from 'node:os';

const pg = createRequire('/srv/sallyport/packages/shared/package.json')('pg');
const client = new pg.Client({
  connectionString: readFileSync(process.env.DATABASE_URL_FILE, 'utf8').trimEnd(),
  options: `-c search_path=${process.env.DEPLOYMENT_ID},pg_temp`,
  connectionTimeoutMillis: 5000,
  query_timeout: 5000,
});
await client.connect();
const { rows } = await client.query(
  `select 1 from presence where process = session_process() and host = $1 and stopped_at is null
   and beat_at > now() - interval '10 seconds'`,
  [hostname()],
);
await client.end();
process.exitCode = rows.length > 0 ? 0 : 1;
