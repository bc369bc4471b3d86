/**
 * The OS user of each process: a number of its own, without an account, so that the kernel keeps one process's key file,
 * memory and environment from all others. Only root can hand such users out; otherwise there is one user for all.
 */
import { createHash } from 'node:crypto';
import type { OsAccount } from './os-account.ts';
import { isRoot } from './os-account.ts';
import type { ServiceName } from './process-table.ts';

/** Beyond every account, dynamic and container range that distributions hand out. */
const FIRST_UID = 1_600_000_000;
const DEPLOYMENTS = 1_000_000;
const PER_DEPLOYMENT = 32;

/** The order is part of the numbers: append only. */
const NUMBERED: readonly ServiceName[] = [
  'intake',
  'gate',
  'worker-launcher',
  'publisher',
  'importer',
  'console',
];

/**
 * The user of a process in a deployment; undefined when this process is not root. Two deployments on one machine get
 * different numbers, so that one's publisher cannot read the other's key.
 */
export function accountOf(deployment: string, name: ServiceName): OsAccount | undefined {
  if (!isRoot()) return undefined;
  const uid = uidOf(deployment, name);
  return { name: `${deployment}/${name}`, uid, gid: uid };
}

/** The user of the stand-in that plays GitHub in demo and tests: outside the walls, so a stranger to all of them. */
export function standInAccount(deployment: string): OsAccount | undefined {
  if (!isRoot()) return undefined;
  const uid = uidOf(deployment, 'intake') + PER_DEPLOYMENT - 1;
  return { name: `${deployment}/github`, uid, gid: uid };
}

/** The number alone, root or not. */
export function uidOf(deployment: string, name: ServiceName): number {
  const hash = createHash('sha256').update(deployment).digest().readUInt32BE(0) % DEPLOYMENTS;
  return FIRST_UID + hash * PER_DEPLOYMENT + NUMBERED.indexOf(name);
}
