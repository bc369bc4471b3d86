/**
 * Brings a deployment's schema to this code's version: numbered files, up only, each in its own transaction whose first
 * statement is the bookkeeping row, so that two migrators at once collide there and one of them does nothing.
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { AppError } from '../errors.ts';
import { PROCESSES, ownerRole, roleName, DEPLOYMENT_PATTERN } from '../processes.ts';
import { isPgError, PG_ERRORS, type Queryable } from './pool.ts';
import { syncRegistries } from './registries.ts';

const MIGRATIONS_DIR = join(import.meta.dirname, '../../migrations');

interface Migration {
  version: number;
  name: string;
  sql: string;
  sha256: string;
}

/** The migrations that this code knows, in order. */
export function knownMigrations(): Migration[] {
  return readdirSync(MIGRATIONS_DIR)
    .filter((file) => /^\d{4}_.*\.sql$/.test(file))
    .toSorted()
    .map((file) => {
      const sql = readFileSync(join(MIGRATIONS_DIR, file), 'utf8');
      return {
        version: Number(file.slice(0, 4)),
        name: file.slice(5, -4),
        sql,
        sha256: createHash('sha256').update(sql).digest('hex'),
      };
    });
}

/** The newest schema version that this code knows. */
export function codeVersion(): number {
  return knownMigrations().at(-1)?.version ?? 0;
}

/**
 * Migrates, then renews registries and grants. Returns the versions that were applied. The roles must be there already,
 * and the URL's role must be able to act as the schema's owner; `provision` sees to both.
 * @throws AppError `schema_newer` when the database is ahead of this code; `conflict` when an applied file was changed.
 */
export async function migrate(options: { url: string; deployment: string }): Promise<number[]> {
  if (!DEPLOYMENT_PATTERN.test(options.deployment)) {
    throw new AppError('bad_config', `${options.deployment} is no deployment id`);
  }
  const client = new pg.Client({
    connectionString: options.url,
    application_name: `${options.deployment}/migrate`,
    connectionTimeoutMillis: 10_000,
  });
  await client.connect();
  try {
    const schema = options.deployment;
    // Two first starts at once race for the schema itself; `if not exists` does not close that race.
    await client.query('select pg_advisory_lock(hashtextextended($1, 7))', [schema]);
    const owner = ownerRole(schema);
    await client.query(`create schema if not exists ${schema} authorization ${owner}`);
    // From here on what is made belongs to a role without rights elsewhere: functions run with their owner's rights.
    await client.query(`set role ${owner}`);
    await client.query(`set search_path to ${schema}, pg_temp`);
    // Between a migration and the grants a new function would be open to everybody.
    await client.query('alter default privileges revoke execute on functions from public');
    await client.query(
      `create table if not exists schema_migration (
         version integer primary key, name text not null, sha256 text not null, applied_at timestamptz not null default now())`,
    );
    const applied = await applyAll(client);
    await client.query('begin');
    await syncRegistries(client, schema);
    await applyGrants(client, schema);
    await client.query('commit');
    return applied;
  } finally {
    await client.end();
  }
}

async function applyAll(client: pg.Client): Promise<number[]> {
  const known = knownMigrations();
  const { rows } = await client.query<{ version: number; sha256: string }>(
    'select version, sha256 from schema_migration order by version',
  );
  const newest = rows.at(-1)?.version ?? 0;
  if (newest > (known.at(-1)?.version ?? 0)) {
    throw new AppError(
      'schema_newer',
      `the schema has version ${newest}, this code knows ${known.at(-1)?.version ?? 0}; run newer code`,
    );
  }
  const applied: number[] = [];
  for (const migration of known) {
    const done = rows.find((row) => row.version === migration.version);
    if (done !== undefined) {
      if (done.sha256 !== migration.sha256) {
        throw new AppError(
          'conflict',
          `migration ${migration.version} was changed after it was applied; add a new one instead`,
        );
      }
      continue;
    }
    if (await applyOne(client, migration)) applied.push(migration.version);
  }
  return applied;
}

async function applyOne(client: pg.Client, migration: Migration): Promise<boolean> {
  try {
    await client.query('begin');
    await client.query('insert into schema_migration (version, name, sha256) values ($1, $2, $3)', [
      migration.version,
      migration.name,
      migration.sha256,
    ]);
    await client.query(migration.sql);
    await client.query('commit');
    return true;
  } catch (error) {
    await client.query('rollback');
    if (isPgError(error, PG_ERRORS.uniqueViolation)) return false;
    throw new AppError('internal', `applying migration ${migration.version}_${migration.name}`, {
      cause: error,
    });
  }
}

/** The privilege matrix with the deployment's names in it. */
export function grantsFor(deployment: string): string {
  const names: Record<string, string> = { schema: deployment };
  for (const process of PROCESSES) names[process] = roleName(deployment, process);
  return readFileSync(join(MIGRATIONS_DIR, 'grants.sql'), 'utf8').replace(
    /\{\{([a-z-]+)\}\}/g,
    (_, key: string) => {
      const name = names[key];
      if (name === undefined)
        throw new AppError('internal', `grants.sql names {{${key}}}, which is no process`);
      return `"${name}"`;
    },
  );
}

async function applyGrants(client: pg.Client, deployment: string): Promise<void> {
  const roles = PROCESSES.map((process) => `"${roleName(deployment, process)}"`).join(', ');
  await client.query(`revoke all on schema ${deployment} from public, ${roles}`);
  await client.query(`revoke all on all tables in schema ${deployment} from public, ${roles}`);
  await client.query(`revoke all on all sequences in schema ${deployment} from public, ${roles}`);
  await client.query(`revoke all on all functions in schema ${deployment} from public, ${roles}`);
  // Column grants outlive a table-wide revoke.
  const { rows } = await client.query<{ statement: string }>(
    `select distinct format('revoke %s (%I) on %I.%I from %I', privilege_type, column_name, table_schema, table_name, grantee) as statement
     from information_schema.column_privileges where table_schema = $1 and grantee = any($2)`,
    [deployment, PROCESSES.map((process) => roleName(deployment, process))],
  );
  for (const { statement } of rows) await client.query(statement);
  await client.query(grantsFor(deployment));
}

/**
 * Refuses to run against a schema that is newer (exit 3) or older (exit 2, with the mend) than this code.
 */
export async function requireSchema(db: Queryable): Promise<void> {
  const { rows } = await db.query<{ version: number }>(
    'select coalesce(max(version), 0) as version from schema_migration',
  );
  const found = rows[0]?.version ?? 0;
  const known = codeVersion();
  if (found > known)
    throw new AppError(
      'schema_newer',
      `the schema has version ${found}, this code knows ${known}; run newer code`,
    );
  if (found < known)
    throw new AppError(
      'bad_config',
      `the schema has version ${found}, this code needs ${known}; run the migrations first`,
    );
}
