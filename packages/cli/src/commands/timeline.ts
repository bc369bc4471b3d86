/** `sallyport timeline ID`: what happened to a task, in order; `--verify` checks its hash chain. */
import { readTimeline, verifyTimeline } from '@sallyport/shared/db/timeline';
import { findTaskView } from '@sallyport/shared/db/views/task-view';
import { isEnd } from '@sallyport/shared/task/states';
import { EXIT_CODES, flagOption, type Call, type Command, type ExitCode } from '../command.ts';
import {
  connect,
  DEPLOYMENT_HELP,
  DEPLOYMENT_OPTION,
  type Connection,
} from '../operate/connect.ts';
import { describeEvent } from '../operate/describe-event.ts';
import { requireTask } from '../operate/require-task.ts';

const FOLLOW_MS = 300;

export const command: Command = {
  help: `usage: sallyport timeline ID [--follow] [--verify]

Prints the events of a task, oldest first. ID may be the beginning of an id.
  --follow          go on until the task has ended
  --verify          check the hash chain; exit code 1 when an event was altered or removed
${DEPLOYMENT_HELP}`,
  options: { ...DEPLOYMENT_OPTION, follow: { type: 'boolean' }, verify: { type: 'boolean' } },
  positionals: { min: 1, max: 1 },
  run,
};

async function run(call: Call): Promise<ExitCode> {
  const connection = connect(call);
  try {
    const { id } = await requireTask(connection.db, call.positionals[0] ?? '');
    const events = await show(call, connection, id);
    if (!flagOption(call, 'verify')) {
      call.answer({ task: id, events });
      return EXIT_CODES.done;
    }
    const problem = await verifyTimeline(connection.db, id);
    call.print(
      problem === null
        ? `the chain of ${events.length} events holds`
        : `event ${problem.seq} is ${problem.problem}`,
    );
    call.answer({ task: id, events, verified: problem === null, problem });
    return problem === null ? EXIT_CODES.done : EXIT_CODES.no;
  } finally {
    await connection.close();
  }
}

async function show(call: Call, connection: Connection, id: string): Promise<unknown[]> {
  const shown = [];
  for (;;) {
    // Read the state first: what happened before the end is then surely among the events read after it.
    const task = await findTaskView(connection.db, id);
    for (const event of await readTimeline(connection.db, id, shown.length)) {
      shown.push(event);
      call.print(describeEvent(event));
    }
    if (!flagOption(call, 'follow') || task === null || isEnd(task.state)) return shown;
    await new Promise((resolve) => setTimeout(resolve, FOLLOW_MS));
  }
}
