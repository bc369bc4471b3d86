/**
 * Where a deployment's servers and processes keep their data, each under its own OS user: below the state directory, as
 * long as these users can enter it. A checkout in somebody's closed home directory, whose `.local` they cannot enter,
 * must neither lose a deployment's data nor the separation.
 */
import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { requireReach, accountCanReach, type OsAccount } from './os-account.ts';

export interface DataPlace {
  /** Holds `postgres`, `redis` and `processes`. */
  readonly dir: string;
  readonly postgres: string;
  readonly redis: string;
}

/**
 * The place for this deployment's data. What is thrown away at the end may lie in the temporary directory instead.
 * @throws AppError `unavailable`, naming SALLYPORT_STATE_DIR, when the data is to be kept and the account cannot get at it.
 */
export function chooseDataPlace(options: {
  readonly deploymentDir: string;
  readonly temporaryDir: string;
  readonly account: OsAccount | undefined;
  readonly throwAway: boolean;
}): DataPlace {
  const { account, deploymentDir } = options;
  if (account === undefined || accountCanReach(account, deploymentDir)) return at(deploymentDir);
  if (!options.throwAway) requireReach(account, deploymentDir);
  const dir = join(options.temporaryDir, 'data');
  mkdirSync(dir, { recursive: true });
  chmodSync(dir, 0o711);
  return at(dir);
}

function at(dir: string): DataPlace {
  return { dir, postgres: join(dir, 'postgres'), redis: join(dir, 'redis') };
}
