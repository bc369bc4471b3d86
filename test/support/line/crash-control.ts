/** Arms the crash points of a running line: a file with the name of a moment, in a directory that every process looks into. */
import { chmodSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROCESS_TABLE, type ServiceName } from '@sallyport/cli/local/process-table';
import type { CrashPoint } from '@sallyport/shared/crash-points';

export interface CrashControl {
  /** What the processes must be started with. */
  readonly extraEnv: Partial<Record<ServiceName, Record<string, string>>>;
  /** The first process that gets to this moment dies there; once. */
  arm(point: CrashPoint): void;
  /** Takes it back if it has not fired. */
  disarm(point: CrashPoint): void;
  hasFired(point: CrashPoint): boolean;
}

export function createCrashControl(dir: string): CrashControl {
  mkdirSync(dir);
  // Each process has an OS user of its own, and each may be the one that disarms.
  chmodSync(dir, 0o777);
  const env = { SALLYPORT_CRASH_DIR: dir };
  return {
    extraEnv: Object.fromEntries(PROCESS_TABLE.map(({ name }) => [name, env])),
    arm(point) {
      rmSync(join(dir, `${point}.fired`), { force: true });
      writeFileSync(join(dir, point), '');
    },
    disarm: (point) => rmSync(join(dir, point), { force: true }),
    hasFired: (point) => existsSync(join(dir, `${point}.fired`)),
  };
}
