/**
 * Connections to Postgres: one pool per process, bound to the deployment's schema, with bounded waits everywhere, so that
 * a slow or dead database becomes an error with a code and never a hang.
 */
import pg from 'pg';
import { AppError } from '../errors.ts';
import { DEPLOYMENT_PATTERN } from '../processes.ts';

/** A pool or a transaction: statements take either. */
export interface Queryable {
  query<R extends pg.QueryResultRow>(
    text: string,
    values?: readonly unknown[],
  ): Promise<pg.QueryResult<R>>;
}
export type Pool = pg.Pool;
/** A client inside a transaction. Only `inTransaction` makes one. */
export type Transaction = Queryable & { readonly transaction: unique symbol };

export interface PoolOptions {
  url: string;
  deployment: string;
  /** Shown in pg_stat_activity. */
  process: string;
  max?: number;
}

/** The client settings that every connection of a deployment shares. */
export function connectionSettings(options: PoolOptions): pg.ClientConfig {
  if (!DEPLOYMENT_PATTERN.test(options.deployment)) {
    throw new AppError(
      'bad_config',
      `DEPLOYMENT_ID ${JSON.stringify(options.deployment)}: use lower-case letters, digits and _, starting with a letter, 2 to 24 long`,
    );
  }
  return {
    connectionString: options.url,
    application_name: `${options.deployment}/${options.process}`,
    options: `-c search_path=${options.deployment},pg_temp -c statement_timeout=30000 -c lock_timeout=10000 -c idle_in_transaction_session_timeout=30000`,
    connectionTimeoutMillis: 5000,
    keepAlive: true,
  };
}

export function createPool(options: PoolOptions): Pool {
  const pool = new pg.Pool({
    ...connectionSettings(options),
    max: options.max ?? 8,
    idleTimeoutMillis: 30_000,
  });
  // An idle connection may die with the server; the next query reports it to somebody who can decide.
  pool.on('error', () => {});
  return pool;
}

/**
 * Runs the work in one transaction. The connection is thrown away when even the rollback fails.
 * @throws whatever the work throws, or AppError `unavailable` when no connection can be had.
 */
export async function inTransaction<T>(
  pool: Pool,
  work: (tx: Transaction) => Promise<T>,
): Promise<T> {
  let client: pg.PoolClient;
  try {
    client = await pool.connect();
  } catch (cause) {
    throw new AppError('unavailable', 'connecting to Postgres', { cause });
  }
  let broken: Error | undefined;
  // The pool listens only to idle connections. One that dies between two statements of ours says so as an event, and an
  // event of this name that nobody hears ends the process.
  const onLost = (error: Error): void => {
    broken = error;
  };
  client.on('error', onLost);
  try {
    await client.query('begin');
    const result = await work(client as unknown as Transaction);
    await client.query('commit');
    return result;
  } catch (error) {
    try {
      await client.query('rollback');
    } catch (rollbackError) {
      broken = rollbackError as Error;
    }
    throw error;
  } finally {
    client.off('error', onLost);
    client.release(broken);
  }
}

/** Postgres error codes that a statement may meet and whose callers decide on them. */
export const PG_ERRORS = {
  uniqueViolation: '23505',
  insufficientPrivilege: '42501',
} as const;

/** Whether a thrown value is the Postgres error with this code. */
export function isPgError(error: unknown, code: string): boolean {
  return error instanceof pg.DatabaseError && error.code === code;
}

/** Whether Postgres refused a value for what it is: class 22, data exception. The same statement will fail for ever. */
export function isDataError(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code?.startsWith('22') === true;
}
