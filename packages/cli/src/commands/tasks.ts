/** `sallyport tasks`: what was asked for and where it stands. */
import { listTasks } from '@sallyport/shared/db/views/task-view';
import { EXIT_CODES, flagOption, type Call, type Command, type ExitCode } from '../command.ts';
import { connect, DEPLOYMENT_HELP, DEPLOYMENT_OPTION } from '../operate/connect.ts';
import { table } from '../operate/table.ts';

export const command: Command = {
  help: `usage: sallyport tasks [--waiting]

Lists the newest 100 tasks, newest first.
  --waiting         only those that wait for a human
${DEPLOYMENT_HELP}`,
  options: { ...DEPLOYMENT_OPTION, waiting: { type: 'boolean' } },
  run,
};

async function run(call: Call): Promise<ExitCode> {
  const connection = connect(call);
  try {
    const tasks = await listTasks(connection.db, { waiting: flagOption(call, 'waiting') });
    call.print(
      table(
        ['id', 'state', 'repository', 'subject', 'requester', 'since', 'reason'],
        tasks.map((t) => [
          t.id,
          t.state,
          t.repository,
          `#${t.number}`,
          t.requester,
          t.movedAt.toISOString(),
          t.reason ?? '',
        ]),
      ),
    );
    call.answer({ tasks });
    return EXIT_CODES.done;
  } finally {
    await connection.close();
  }
}
