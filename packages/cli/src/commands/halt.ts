/** `sallyport halt`: from now on no effect begins, anywhere or for one repository. Returns when every living process says so. */
import { setHalt } from '@sallyport/shared/db/halt';
import { scopeOf } from '@sallyport/shared/db/views/halt-scope';
import { awaitAcknowledgement } from '@sallyport/shared/db/views/halt-status';
import {
  EXIT_CODES,
  stringOption,
  wrongUse,
  type Call,
  type Command,
  type ExitCode,
} from '../command.ts';
import { connect, DEPLOYMENT_HELP, DEPLOYMENT_OPTION } from '../operate/connect.ts';
import { describeHalts } from '../operate/halt-status.ts';

const ACKNOWLEDGE_MS = 5000;

export const command: Command = {
  help: `usage: sallyport halt --reason TEXT [--repo OWNER/NAME] [--level drain|stop]

Stops new work at once; what is stored stays, and goes on after "sallyport resume".
  --reason TEXT     why; shown to everybody who asks
  --repo R          only this repository (OWNER/NAME or numeric id)
  --level drain     what runs may finish, nothing starts, nothing is published (default)
  --level stop      what runs is ended too, its work kept
${DEPLOYMENT_HELP}

Exit code 1 when a living process has not acknowledged within 5 seconds; it is named.`,
  options: {
    ...DEPLOYMENT_OPTION,
    reason: { type: 'string' },
    repo: { type: 'string' },
    level: { type: 'string' },
  },
  run,
};

async function run(call: Call): Promise<ExitCode> {
  const reason = stringOption(call, 'reason')?.trim();
  if (reason === undefined || reason === '') throw wrongUse('halt: say why with --reason TEXT');
  const level = stringOption(call, 'level') ?? 'drain';
  if (level !== 'drain' && level !== 'stop')
    throw wrongUse(`halt: --level is drain or stop, not ${level}`);
  const connection = connect(call);
  try {
    const scope = await scopeOf(connection.db, stringOption(call, 'repo'));
    await setHalt(connection.db, scope, level, reason, connection.operator);
    const status = await awaitAcknowledgement(connection.db, ACKNOWLEDGE_MS);
    call.print(describeHalts(status));
    call.answer({ ...status });
    return status.waitingFor.length === 0 ? EXIT_CODES.done : EXIT_CODES.no;
  } finally {
    await connection.close();
  }
}
