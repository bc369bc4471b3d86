/** The processes of a deployment that have a database role of their own. Engine guard, relay and proxy have none. */

export const PROCESSES = [
  'intake',
  'gate',
  'worker-launcher',
  'publisher',
  'importer',
  'console',
  /** The command line, when it speaks to the database itself. */
  'operator',
] as const;
export type Process = (typeof PROCESSES)[number];

export const DEPLOYMENT_PATTERN = /^[a-z][a-z0-9_]{1,23}$/;

/** The database role of a process in a deployment. Deployments share servers, so every name carries theirs. */
export function roleName(deployment: string, process: Process): string {
  return `${deployment}_${process.replace('-', '_')}`;
}

/** The role that owns a deployment's schema: nobody can log in as it, and its functions have its rights, not a superuser's. */
export function ownerRole(deployment: string): string {
  return `${deployment}_owner`;
}
