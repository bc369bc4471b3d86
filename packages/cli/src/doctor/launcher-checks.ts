/**
 * Runs the launcher's own checks as the launcher would run: in its user, when this one is root and hands users out, and
 * with nothing but the environment that processes are given.
 */
import { chownSync } from 'node:fs';
import { AppError } from '@sallyport/shared/errors';
import { spawnBound } from '../local/bound-process.ts';
import { nodeCommand, viewCode } from '../local/code-view.ts';
import { handOutControlGroups } from '../local/control-groups.ts';
import { accountOf } from '../local/process-account.ts';
import { runtimeEnvironment } from '../local/process-table.ts';
import { sandboxNeedsPrivileges } from '../local/sandbox-program.ts';
import { createTemporaryDirectory } from '../local/temporary.ts';
import { ChecksSchema, type Check } from './check.ts';

const MAIN = 'services/worker-launcher/src/launcher/doctor/main.ts';

export interface LauncherCheckOptions {
  /** Whose launcher: numbers of users differ between deployments. */
  deployment: string;
  /** Where the launcher's state would lie; its file system is what counts. */
  directory: string | undefined;
  guard: string | undefined;
  image: string | undefined;
  /** Another bubblewrap than the system's. */
  bubblewrap?: string | undefined;
  note: (text: string) => void;
}

/** @throws AppError `internal` when the program broke off. */
export async function runLauncherChecks(options: LauncherCheckOptions): Promise<Check[]> {
  const { directory, guard, image, bubblewrap } = options;
  const account = accountOf(options.deployment, 'worker-launcher');
  const temporary = createTemporaryDirectory();
  const groups = handOutControlGroups(`doctor-${process.pid}`, account);
  try {
    if (account !== undefined) chownSync(temporary.path, account.uid, account.gid);
    const code = viewCode(account, temporary.path);
    const given = Object.entries({ directory, guard, image, bubblewrap });
    const child = spawnBound({
      argv: [
        ...nodeCommand(MAIN, code),
        ...given.flatMap(([name, value]) => (value === undefined ? [] : [`--${name}`, value])),
      ] as [string, ...string[]],
      env: runtimeEnvironment(temporary.path),
      cwd: '/',
      account,
      bind: code.bind,
      controlGroups: groups.enter,
      mayGainPrivileges: sandboxNeedsPrivileges(),
      deathSignal: 'SIGKILL',
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    child.stdout?.setEncoding('utf8').on('data', (piece: string) => {
      output += piece;
    });
    child.stderr?.setEncoding('utf8').on('data', (piece: string) => options.note(piece.trimEnd()));
    const ended = await new Promise<number | null>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', resolve);
    });
    if (ended !== 0) {
      throw new AppError('internal', `the launcher's checks ended with ${ended ?? 'a signal'}`);
    }
    return ChecksSchema.parse(JSON.parse(output)).checks;
  } finally {
    await groups.remove();
    temporary.remove();
  }
}
