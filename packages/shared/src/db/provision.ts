/**
 * Makes what a deployment needs in a Postgres server: one login role per process, a role without login that owns the
 * schema, the schema, the grants. Run by an administrator's connection at set-up, who need not be a superuser; repeating
 * it changes nothing but the passwords that are handed in.
 */
import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { AppError } from '../errors.ts';
import { DEPLOYMENT_PATTERN, ownerRole, PROCESSES, roleName, type Process } from '../processes.ts';
import { migrate } from './migrate.ts';
import { isPgError, PG_ERRORS } from './pool.ts';

export type ProcessUrls = Record<Process, string>;

export interface ProvisionOptions {
  /** A role that may create roles and create schemas in the database of this URL. */
  adminUrl: string;
  deployment: string;
  /** Passwords by process; missing ones are made up. */
  passwords?: Partial<Record<Process, string>>;
  /** The database serves this deployment alone, so what everybody may do in one by default can be taken away. */
  exclusive?: boolean;
}

/**
 * Makes roles, schema and grants.
 * @returns the connection URL of each process, with its password.
 * @throws AppError `bad_config` when the administrator's role lacks a right, or a process's role has one too many.
 */
export async function provision(options: ProvisionOptions): Promise<ProcessUrls> {
  const { adminUrl, deployment } = options;
  if (!DEPLOYMENT_PATTERN.test(deployment))
    throw new AppError('bad_config', `${deployment} is no deployment id`);
  const urls = {} as ProcessUrls;
  const admin = new pg.Client({ connectionString: adminUrl, connectionTimeoutMillis: 10_000 });
  await admin.connect();
  try {
    await ensureOwner(admin, ownerRole(deployment));
    for (const process of PROCESSES) {
      const role = roleName(deployment, process);
      const password = options.passwords?.[process] ?? randomBytes(24).toString('base64url');
      await ensureRole(admin, role, password);
      urls[process] = urlFor(adminUrl, role, password);
    }
    await requirePlainRoles(admin, deployment);
    if (options.exclusive === true) await closeDatabase(admin);
  } finally {
    await admin.end();
  }
  await migrate({ url: adminUrl, deployment });
  return urls;
}

async function ensureOwner(admin: pg.Client, role: string): Promise<void> {
  await askForRoles(async () => {
    if (!(await roleExists(admin, role))) await admin.query(`create role "${role}" nologin`);
    // To make things in its name. A superuser needs no membership, and to ask again is harmless.
    await admin.query(`grant "${role}" to current_user`);
  });
}

async function ensureRole(admin: pg.Client, role: string, password: string): Promise<void> {
  const verb = (await roleExists(admin, role)) ? 'alter' : 'create';
  await askForRoles(() =>
    admin.query(`${verb} role "${role}" login password ${pg.escapeLiteral(password)}`),
  );
}

async function roleExists(admin: pg.Client, role: string): Promise<boolean> {
  const { rows } = await admin.query('select 1 from pg_roles where rolname = $1', [role]);
  return rows.length > 0;
}

async function askForRoles(work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
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

/** Grants bind nobody who is a superuser, bypasses row security, or can act as another role. */
async function requirePlainRoles(admin: pg.Client, deployment: string): Promise<void> {
  const roles = PROCESSES.map((process) => roleName(deployment, process));
  const { rows } = await admin.query<{ role: string; excess: string }>(
    `select r.rolname as role, concat_ws(', ',
       case when r.rolsuper then 'superuser' end, case when r.rolcreaterole then 'createrole' end,
       case when r.rolcreatedb then 'createdb' end, case when r.rolreplication then 'replication' end,
       case when r.rolbypassrls then 'bypassrls' end,
       (select string_agg('member of ' || g.rolname, ', ') from pg_auth_members m join pg_roles g on g.oid = m.roleid
        where m.member = r.oid)) as excess
     from pg_roles r where r.rolname = any($1)`,
    [[...roles, ownerRole(deployment)]],
  );
  const problems = rows.filter((row) => row.excess !== '');
  if (problems.length === 0) return;
  throw new AppError(
    'bad_config',
    `database roles of processes must have no rights but those granted by name: ${problems.map((p) => `${p.role} is ${p.excess}`).join('; ')}; take that away or drop the role`,
  );
}

/** Takes away what everybody may do by default: temporary tables, and objects in `public`. */
async function closeDatabase(admin: pg.Client): Promise<void> {
  const { rows } = await admin.query<{ name: string }>('select current_database() as name');
  await admin.query(
    `revoke temporary on database ${pg.escapeIdentifier(rows[0]?.name ?? '')} from public`,
  );
  await admin.query('revoke create on schema public from public');
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
    const roles = PROCESSES.map((process) => roleName(deployment, process));
    for (const role of [...roles, ownerRole(deployment)]) {
      if (!(await roleExists(admin, role))) continue;
      await admin.query(`drop owned by "${role}"`);
      await admin.query(`drop role "${role}"`);
    }
  } finally {
    await admin.end();
  }
}
