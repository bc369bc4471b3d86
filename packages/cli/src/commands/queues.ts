/** `sallyport queues`: depth, age and rate of every queue, and what waits in the outbox. */
import { readOutboxBacklog } from '@sallyport/shared/db/outbox-backlog';
import { readQueueDepths, type QueueDepth } from '@sallyport/shared/queue/depths';
import { AppError } from '@sallyport/shared/errors';
import { EXIT_CODES, flagOption, type Call, type Command, type ExitCode } from '../command.ts';
import {
  connect,
  DEPLOYMENT_HELP,
  DEPLOYMENT_OPTION,
  type Connection,
} from '../operate/connect.ts';
import { table } from '../operate/table.ts';

const FOLLOW_MS = 2000;

export const command: Command = {
  help: `usage: sallyport queues [--follow]

Shows each queue: jobs waiting, in hand, delayed and failed, the age of the oldest, jobs done in the last minute; and the
outbox rows that wait to be forwarded, by process.
  --follow          again every 2 seconds until Ctrl-C
${DEPLOYMENT_HELP}`,
  options: { ...DEPLOYMENT_OPTION, follow: { type: 'boolean' } },
  run,
};

async function run(call: Call): Promise<ExitCode> {
  const connection = connect(call);
  try {
    for (;;) {
      await showOnce(call, connection);
      if (!flagOption(call, 'follow')) return EXIT_CODES.done;
      await new Promise((resolve) => setTimeout(resolve, FOLLOW_MS));
    }
  } finally {
    await connection.close();
  }
}

async function showOnce(call: Call, connection: Connection): Promise<void> {
  if (connection.redisUrl === undefined) {
    throw new AppError('bad_config', 'no Redis is named; set REDIS_URL_FILE');
  }
  const [queues, outbox] = await Promise.all([
    readQueueDepths(connection.redisUrl, connection.deployment),
    readOutboxBacklog(connection.db),
  ]);
  call.print(
    table(
      ['queue', 'waiting', 'active', 'delayed', 'failed', 'oldest', 'done/min'],
      queues.map(row),
    ),
  );
  const backlog = outbox.map((o) => `${o.process} ${o.rows} (oldest ${o.oldestSeconds} s)`);
  call.print(`outbox: ${backlog.join(', ') || 'empty'}`);
  call.answer({ queues, outbox });
}

function row(queue: QueueDepth): string[] {
  return [
    queue.name,
    String(queue.waiting),
    String(queue.active),
    String(queue.delayed),
    String(queue.failed),
    queue.oldestSeconds === null ? '-' : `${queue.oldestSeconds} s`,
    String(queue.donePerMinute),
  ];
}
