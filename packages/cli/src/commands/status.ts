/** `sallyport status`: whether anything is halted, and which processes live. */
import { listPresence } from '@sallyport/shared/db/presence';
import { readHaltStatus } from '@sallyport/shared/db/views/halt-status';
import { EXIT_CODES, type Call, type Command, type ExitCode } from '../command.ts';
import { connect, DEPLOYMENT_HELP, DEPLOYMENT_OPTION } from '../operate/connect.ts';
import { describeHalts } from '../operate/halt-status.ts';
import { table } from '../operate/table.ts';

export const command: Command = {
  help: `usage: sallyport status

Shows the halt and every process that was alive within the last hour.
${DEPLOYMENT_HELP}`,
  options: DEPLOYMENT_OPTION,
  run,
};

async function run(call: Call): Promise<ExitCode> {
  const connection = connect(call);
  try {
    const [status, processes] = await Promise.all([
      readHaltStatus(connection.db),
      listPresence(connection.db),
    ]);
    call.print(`deployment ${connection.deployment}`);
    call.print(describeHalts(status));
    call.print(
      table(
        ['process', 'host', 'alive', 'started'],
        processes.map((p) => [
          p.process,
          p.host,
          p.alive ? 'yes' : 'no',
          p.startedAt.toISOString(),
        ]),
      ),
    );
    call.answer({ deployment: connection.deployment, ...status, processes });
    return EXIT_CODES.done;
  } finally {
    await connection.close();
  }
}
