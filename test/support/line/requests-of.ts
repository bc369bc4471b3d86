/** Work that is asked for and waited for in pieces: to the event at which a test wants to interfere, and to its one result. */
import { awaitTask } from '@sallyport/cli/local/demo/await-task';
import type { TimelineKind } from '@sallyport/shared/timeline/kinds';
import { expect } from 'vitest';
import { connectHook, expectOneOfEverything } from './die-at.ts';
import type { Line } from './start-line.ts';

export interface Asked {
  readonly issue: number;
  readonly guid: string;
  /** What intake answered; GitHub shows everything from 300 on as failed. */
  readonly statusCode: number;
}

export async function ask(line: Line): Promise<Asked> {
  const issue = await line.addIssue();
  const { guid, statusCode } = await line.comment(issue, '/agent fix this');
  return { issue, guid, statusCode };
}

/** The id of the task, once its timeline tells of this event. */
export async function until(line: Line, { guid }: Asked, kind: TimelineKind): Promise<string> {
  const find = async (): Promise<string | undefined> => {
    const { rows } = await line.db.query<{ id: string }>(
      `select t.id from task t join delivery d on d.id = t.delivery_id join timeline e on e.subject = t.id
       where d.guid = $1 and e.kind = $2`,
      [guid, kind],
    );
    return rows[0]?.id;
  };
  await expect.poll(find, { timeout: 60_000, interval: 20 }).toBeDefined();
  return (await find()) ?? '';
}

/** Delivers again what was not accepted, waits for the end of the task, and expects one of everything. */
export async function expectPublishedOnce(line: Line, asked: Asked): Promise<void> {
  const { guid, issue, statusCode } = asked;
  if (statusCode >= 300) {
    await connectHook(line);
    expect((await line.github.control.redeliver(guid)).statusCode).toBeLessThan(300);
  }
  const { task, events } = await awaitTask(line.db, guid, { timeoutMs: 90_000 });
  expect({ state: task.state, reason: task.reason }).toMatchObject({ state: 'published' });
  await expectOneOfEverything(
    line,
    { ends: 'published' },
    { issue, id: task.id, branch: task.branch, events },
  );
}
