/** `sallyport doctor`: what this machine and a running deployment lack, each with its mend. */
import { errorCodeOf } from '@sallyport/shared/errors';
import {
  EXIT_CODES,
  stringOption,
  wrongUse,
  type Call,
  type Command,
  type ExitCode,
} from '../command.ts';
import type { Check } from '../doctor/check.ts';
import { runLauncherChecks } from '../doctor/launcher-checks.ts';
import { checkServers } from '../doctor/server-checks.ts';
import {
  connect,
  DEPLOYMENT_HELP,
  DEPLOYMENT_OPTION,
  type Connection,
} from '../operate/connect.ts';

const DEFAULT_DEPLOYMENT = 'sallyport';

export const command: Command = {
  help: `usage: sallyport doctor [--directory DIR] [--guard SOCKET [--image ID]]

Tries, as the launcher's user, what sandboxes need of this machine, and asks Postgres and Redis when a deployment runs.
Exit code 1 when something fails; a warning is something that works with less than there could be.
  --directory DIR   where the launcher's state will lie, to try its file system (default: a temporary directory)
  --guard SOCKET    also asks engine-guard and the engine behind it
  --image ID        also makes a sandbox of this image there
${DEPLOYMENT_HELP}`,
  options: {
    ...DEPLOYMENT_OPTION,
    directory: { type: 'string' },
    guard: { type: 'string' },
    image: { type: 'string' },
  },
  run,
};

async function run(call: Call): Promise<ExitCode> {
  const guard = stringOption(call, 'guard');
  const image = stringOption(call, 'image');
  if (image !== undefined && guard === undefined) throw wrongUse('--image: give --guard as well');
  const connection = connectIfOneRuns(call);
  try {
    const checks = await runLauncherChecks({
      deployment: connection?.deployment ?? DEFAULT_DEPLOYMENT,
      directory: stringOption(call, 'directory'),
      guard,
      image,
      note: call.note,
    });
    if (connection !== undefined) checks.push(...(await checkServers(connection)));
    call.print(checks.map(describe).join('\n'));
    call.answer({ checks });
    return checks.some(({ result }) => result === 'fail') ? EXIT_CODES.no : EXIT_CODES.done;
  } finally {
    await connection?.close();
  }
}

function describe({ id, result, message, mend }: Check): string {
  const line = `${result}  ${id.padEnd(22)}${message}`;
  return mend === null ? line : `${line}\n      ${''.padEnd(22)}${mend}`;
}

function connectIfOneRuns(call: Call): Connection | undefined {
  try {
    return connect(call);
  } catch (error) {
    // Before the first start there is none, which is when one asks a doctor.
    if (errorCodeOf(error) === 'not_found' && stringOption(call, 'deployment') === undefined) {
      return undefined;
    }
    throw error;
  }
}
