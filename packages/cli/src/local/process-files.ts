/**
 * The files of each process: its secrets, its state, its temporary directory, each closed to everybody but its own OS
 * user. A secret is written for those who need it, once per process; nobody shares a file.
 */
import { chmodSync, chownSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { OsAccount } from './os-account.ts';
import { secretFileName, type ProcessEntry, type SecretKind } from './process-table.ts';

export interface ProcessPlaces {
  readonly secretsDir: string;
  readonly stateDir: string;
  readonly temporaryDir: string;
  readonly logFile: string;
}

/** Makes the directories of a process and writes its secrets anew. */
export function prepareProcess(
  entry: ProcessEntry,
  options: {
    readonly deploymentDir: string;
    readonly logsDir: string;
    readonly temporaryRoot: string;
    readonly account: OsAccount | undefined;
    readonly secrets: (kind: SecretKind) => string;
  },
): ProcessPlaces {
  const home = join(options.deploymentDir, 'processes', entry.name);
  const places = {
    secretsDir: join(home, 'secrets'),
    stateDir: join(home, 'state'),
    temporaryDir: join(options.temporaryRoot, entry.name),
    logFile: join(options.logsDir, `${entry.name}.log`),
  };
  mkdirSync(join(options.deploymentDir, 'processes'), { recursive: true });
  chmodSync(join(options.deploymentDir, 'processes'), 0o711);
  for (const dir of [home, places.secretsDir, places.stateDir, places.temporaryDir]) {
    mkdirSync(dir, { recursive: true, mode: 0o700 });
    giveTo(options.account, dir);
  }
  // A secret that the process no longer needs must not stay.
  for (const old of readdirSync(places.secretsDir)) rmSync(join(places.secretsDir, old));
  for (const [variable, kind] of Object.entries(entry.secrets)) {
    const file = join(places.secretsDir, secretFileName(variable));
    writeFileSync(file, options.secrets(kind), { mode: 0o400, flag: 'wx' });
    giveTo(options.account, file);
  }
  return places;
}

function giveTo(account: OsAccount | undefined, path: string): void {
  if (account !== undefined) chownSync(path, account.uid, account.gid);
}
