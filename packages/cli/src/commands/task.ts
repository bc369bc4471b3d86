/** `sallyport task ID`: one task with its assessment, runs, verdict and publication. */
import { readTaskDetails } from '@sallyport/shared/db/views/task-details';
import { EXIT_CODES, type Call, type Command, type ExitCode } from '../command.ts';
import { connect, DEPLOYMENT_HELP, DEPLOYMENT_OPTION } from '../operate/connect.ts';
import { requireTask } from '../operate/require-task.ts';
import { describeTask } from '../operate/describe-task.ts';

export const command: Command = {
  help: `usage: sallyport task ID

Shows one task: who asked for what, why it was admitted or refused, its runs, the verdict and what was published.
ID may be the beginning of an id.
${DEPLOYMENT_HELP}`,
  options: DEPLOYMENT_OPTION,
  positionals: { min: 1, max: 1 },
  run,
};

async function run(call: Call): Promise<ExitCode> {
  const connection = connect(call);
  try {
    const task = await requireTask(connection.db, call.positionals[0] ?? '');
    const details = await readTaskDetails(connection.db, task.id);
    call.print(describeTask(task, details));
    call.answer({ task, ...details });
    return EXIT_CODES.done;
  } finally {
    await connection.close();
  }
}
