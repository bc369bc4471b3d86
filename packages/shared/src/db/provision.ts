/**
 * Makes what a deployment needs in a Postgres server: one login role per process, the schema, the grants. Run by an
 * administrator's connection at set-up; repeating it changes nothing but the passwords that are handed in.
 */
import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { AppError } from '../errors.ts';
import { DEPLOYMENT_PATTERN, PROCESSES, roleName, type Process } from '../processes.ts';
import { migrate } from './migrate.ts';
import { isPgError, PG_ERRORS } from './pool.ts';

export type ProcessUrls = Record<Process, string>;

export interface ProvisionOptions {
  /** A role that may create roles and create schemas in the database of this URL. */
  adminUrl: string;
  deployment: string;
  /** Passwords by process; missing ones are made up. */
  passwords?: Partial<Record<Process, string>>;
}

/**
 * Makes roles, schema and grants.
 * @returns the connection URL of each process, with its password.
 * @throws AppError `bad_config` when the administrator's role lacks a right, naming it.
 */
export async function provision(options: ProvisionOptions): Promise<ProcessUrls> {
  const { adminUrl, deployment } = options;
  if (!DEPLOYMENT_PATTERN.test(deployment))
    throw new AppError('bad_config', `${deployment} is no deployment id`);
  const urls = {} as ProcessUrls;
  const admin = new pg.Client({ connectionString: adminUrl, connectionTimeoutMillis: 10_000 });
  await admin.connect();
  try {
    for (const process of PROCESSES) {
      const role = roleName(deployment, process);
      const password = options.passwords?.[process] ?? randomBytes(24).toString('base64url');
      await ensureRole(admin, role, password);
      urls[process] = urlFor(adminUrl, role, password);
    }
  } finally {
    await admin.end();
  }
  await migrate({ url: adminUrl, deployment });
  return urls;
}

async function ensureRole(admin: pg.Client, role: string, password: string): Promise<void> {
  const found = await admin.query('select 1 from pg_roles where rolname = $1', [role]);
  const verb = found.rows.length === 0 ? 'create' : 'alter';
  try {
    await admin.query(
      `${verb} role "${role}" login nosuperuser nocreatedb nocreaterole password ${pg.escapeLiteral(password)}`,
    );
  } catch (error) {
    if (isPgError(error, PG_ERRORS.insufficientPrivilege)) {
      throw new AppError(
        'bad_config',
        `the database role of DATABASE_URL_FILE may not create roles; run "alter role NAME createrole" for it as a superuser`,
        { cause: error },
      );
    }
    throw error;
  }
}

/** The administrator's URL with another user and password. Works for socket URLs (`?host=/dir`) too. */
export function urlFor(adminUrl: string, user: string, password: string): string {
  const url = new URL(adminUrl);
  // A URL without a host part (postgresql:///db?host=/dir) refuses a user name; any host will do, the parameter wins.
  if (url.hostname === '') url.hostname = 'localhost';
  url.username = user;
  url.password = password;
  return url.toString();
}

/** Removes schema and roles of a deployment. For tests and for taking a deployment down. */
export async function dropDeployment(adminUrl: string, deployment: string): Promise<void> {
  if (!DEPLOYMENT_PATTERN.test(deployment))
    throw new AppError('bad_config', `${deployment} is no deployment id`);
  const admin = new pg.Client({ connectionString: adminUrl, connectionTimeoutMillis: 10_000 });
  await admin.connect();
  try {
    await admin.query(`drop schema if exists ${deployment} cascade`);
    for (const process of PROCESSES) {
      const role = roleName(deployment, process);
      const found = await admin.query('select 1 from pg_roles where rolname = $1', [role]);
      if (found.rows.length === 0) continue;
      await admin.query(`drop owned by "${role}"`);
      await admin.query(`drop role "${role}"`);
    }
  } finally {
    await admin.end();
  }
}
