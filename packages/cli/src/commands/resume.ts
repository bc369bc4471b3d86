/** `sallyport resume`: lifts a halt. What waited goes on by itself. */
import { liftHalt } from '@sallyport/shared/db/halt';
import { scopeOf } from '@sallyport/shared/db/views/halt-scope';
import { awaitAcknowledgement } from '@sallyport/shared/db/views/halt-status';
import { EXIT_CODES, stringOption, type Call, type Command, type ExitCode } from '../command.ts';
import { connect, DEPLOYMENT_HELP, DEPLOYMENT_OPTION } from '../operate/connect.ts';
import { describeHalts } from '../operate/halt-status.ts';

const ACKNOWLEDGE_MS = 5000;

export const command: Command = {
  help: `usage: sallyport resume [--repo OWNER/NAME]

Lifts the halt of everything, or of one repository. Lifting one does not lift the other.
  --repo R          the halt of this repository (OWNER/NAME or numeric id)
${DEPLOYMENT_HELP}

Exit code 1 when there was no such halt.`,
  options: { ...DEPLOYMENT_OPTION, repo: { type: 'string' } },
  run,
};

async function run(call: Call): Promise<ExitCode> {
  const connection = connect(call);
  try {
    const scope = await scopeOf(connection.db, stringOption(call, 'repo'));
    const lifted = await liftHalt(connection.db, scope, connection.operator);
    if (!lifted) call.note(`there is no halt of ${scope === 'all' ? 'everything' : scope}`);
    const status = await awaitAcknowledgement(connection.db, ACKNOWLEDGE_MS);
    call.print(describeHalts(status));
    call.answer({ lifted, ...status });
    return lifted ? EXIT_CODES.done : EXIT_CODES.no;
  } finally {
    await connection.close();
  }
}
