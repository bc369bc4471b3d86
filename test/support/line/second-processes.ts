/** A second process of each kind that takes jobs, beside the first, as on a second host: same role, same secrets, files of its own. */
import { chownSync, mkdirSync } from 'node:fs';
import type { ServiceName } from '@sallyport/cli/local/process-table';
import type { Line } from './start-line.ts';

const DOUBLED: ReadonlySet<ServiceName> = new Set([
  'gate',
  'worker-launcher',
  'publisher',
  'importer',
]);
/** What is put behind the name of a process, and of each of its places, for the second one. */
export const SECOND = '-2';

/** Starts them and returns when all are ready; they end with the line. */
export async function startSecondProcesses({ deployment }: Line): Promise<void> {
  const stage = deployment.processes
    .filter(({ name }) => DOUBLED.has(name))
    .map(({ service, places, account }) => {
      const stateDir = `${places.stateDir}${SECOND}`;
      const temporaryDir = `${places.temporaryDir}${SECOND}`;
      for (const dir of [stateDir, temporaryDir]) {
        mkdirSync(dir, { mode: 0o700 });
        if (account !== undefined) chownSync(dir, account.uid, account.gid);
      }
      const env = { ...service.env, TMPDIR: temporaryDir };
      return {
        ...service,
        name: `${service.name}${SECOND}`,
        env: 'STATE_DIR' in service.env ? { ...env, STATE_DIR: stateDir } : env,
        logFile: `${places.logFile}${SECOND}`,
      };
    });
  await deployment.supervisor.start(stage);
}
