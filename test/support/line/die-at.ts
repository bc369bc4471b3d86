/**
 * One task that is killed at a named moment, from the comment to the proof: the process died inside, by SIGKILL, once;
 * the line started it again and went on; and of everything that the outside can see there is exactly one.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { awaitTask } from '@sallyport/cli/local/demo/await-task';
import type { CrashPoint } from '@sallyport/shared/crash-points';
import { verifyTimeline, type TimelineEvent } from '@sallyport/shared/db/timeline';
import { Redis } from 'ioredis';
import { expect } from 'vitest';
import { CRASH_MOMENTS, type CrashMoment } from './crash-moments.ts';
import { findLeftovers } from './leftovers.ts';
import { SAMPLE_FIX } from './sample-project.ts';
import { READER, WRITER, type Line } from './start-line.ts';
import { agentBranches, botComments } from './tasks-of.ts';

const DEATH_TIMEOUT_MS = 60_000;
const TASK_TIMEOUT_MS = 90_000;
const TIDY_TIMEOUT_MS = 30_000;
let bases = 0;

/** Asks for work, lets the process die at the moment, empties Redis then if asked to, and holds what came of it against the promises. */
export async function dieAt(
  line: Line,
  point: CrashPoint,
  options: { readonly flush: boolean },
): Promise<void> {
  const moment = CRASH_MOMENTS[point];
  const { control } = line.github;
  line.setScript(moment.script ?? SAMPLE_FIX);
  if (moment.freshBase === true) {
    bases += 1;
    await control.commit({ repo: line.repo, branch: 'main', files: { 'BASE.md': `${bases}\n` } });
  }
  await connectHook(line);
  const tokensBefore = (await control.tokens()).length;
  const deaths = countDeaths(line, point, moment);
  line.crashes.arm(point);
  const issue = await line.addIssue();
  const asked = line.comment(issue, '/agent fix this', moment.ends === 'refused' ? READER : WRITER);
  await expect
    .poll(() => countDeaths(line, point, moment), { timeout: DEATH_TIMEOUT_MS, interval: 20 })
    .toEqual({ said: deaths.said + 1, killed: deaths.killed + 1 });
  const diedBy = await control.now();
  if (options.flush) await flushRedis(line);
  const { guid, statusCode } = await asked;
  if (statusCode >= 300) await redeliver(line, guid);
  const { task, events } = await awaitTask(line.db, guid, { timeoutMs: TASK_TIMEOUT_MS });
  expect({ state: task.state, reason: task.reason }).toMatchObject({ state: moment.ends });
  await expectOneOfEverything(line, moment, { issue, id: task.id, branch: task.branch, events });
  await expectTidy(line, tokensBefore, diedBy);
  expect(countDeaths(line, point, moment)).toEqual({
    said: deaths.said + 1,
    killed: deaths.killed + 1,
  });
  await control.assertClean();
}

interface Deaths {
  /** Times that the process wrote down that it was at this moment. */
  said: number;
  /** Times that it was ended by SIGKILL, whenever. */
  killed: number;
}

function countDeaths(line: Line, point: CrashPoint, { dies }: CrashMoment): Deaths {
  const log = readFileSync(join(line.deployment.dir, 'logs', `${dies}.log`), 'utf8');
  return {
    said: log.split('\n').filter((text) => text === `crash_point ${point}`).length,
    killed: line.notes.filter((note) => note.startsWith(`${dies} ended (SIGKILL)`)).length,
  };
}

async function flushRedis(line: Line): Promise<void> {
  const url = line.deployment.servers?.redisUrl;
  if (url === undefined) throw new Error('this Redis is not the test’s own');
  const redis = new Redis(url, { maxRetriesPerRequest: 1 });
  await redis.flushall();
  redis.disconnect();
}

/** As an operator does by hand when GitHub shows a failed delivery. */
async function redeliver(line: Line, guid: string): Promise<void> {
  await connectHook(line);
  expect((await line.github.control.redeliver(guid)).statusCode).toBeLessThan(300);
}

/** Waits for an intake that answers and tells GitHub where: one that was killed comes back at another port. */
export async function connectHook(line: Line): Promise<void> {
  const isHealthy = (): Promise<boolean> =>
    fetch(`${line.deployment.intakeUrl}/health`).then(
      ({ ok }) => ok,
      () => false,
    );
  await expect.poll(isHealthy, { timeout: DEATH_TIMEOUT_MS, interval: 50 }).toBe(true);
  await line.github.control.setHook({ url: `${line.deployment.intakeUrl}/github/webhook` });
}

interface Outcome {
  readonly issue: number;
  readonly id: string;
  readonly branch: string | null;
  readonly events: readonly TimelineEvent[];
}

/** One task, one comment, and of branch, pull request and each decisive event one or none. */
export async function expectOneOfEverything(
  line: Line,
  moment: Pick<CrashMoment, 'ends'>,
  { issue, id, branch, events }: Outcome,
): Promise<void> {
  const published = moment.ends === 'published' ? 1 : 0;
  const { rows } = await line.db.query(
    `select t.id from task t join repository r on r.id = t.repository_id
     where t.subject_number = $1 and r.owner || '/' || r.name = $2`,
    [issue, line.repo],
  );
  expect(rows).toEqual([{ id }]);
  const branches = (await agentBranches(line)).filter((name) => name.includes(`/issue-${issue}-`));
  expect(branches).toEqual(published === 1 ? [branch] : []);
  const pulls = (await line.github.control.pulls(line.repo)).filter((pull) =>
    String(pull['body']).includes(id),
  );
  expect(pulls).toHaveLength(published);
  await expect.poll(() => botComments(line, issue), { timeout: 20_000 }).toHaveLength(1);
  const kinds = events.map(({ kind }) => kind);
  const count = (kind: string): number => kinds.filter((one) => one === kind).length;
  expect({ assessed: count('task_assessed'), verdict: count('verdict_given') }).toEqual({
    assessed: 1,
    verdict: moment.ends === 'refused' ? 0 : 1,
  });
  for (const kind of ['pushed', 'published'])
    expect([kind, count(kind)]).toEqual([kind, published]);
  for (const kind of ['ticket_issued', 'bundle_collected']) {
    expect([kind, count(kind)]).toEqual([kind, moment.ends === 'refused' ? 0 : 1]);
  }
  expect(await verifyTimeline(line.db, id)).toBeNull();
}

/** Nothing left on the machine, and no token alive but those that the dead process had in hand, each for an hour at most. */
export async function expectTidy(line: Line, tokensBefore: number, diedBy?: Date): Promise<void> {
  await expect
    .poll(() => findLeftovers(line), { timeout: TIDY_TIMEOUT_MS, interval: 250 })
    .toEqual([]);
  await expect
    .poll(
      async () => {
        const minted = (await line.github.control.tokens()).slice(tokensBefore);
        return minted.filter(
          (token) =>
            token.revokedAt === null && !(diedBy !== undefined && token.mintedAt <= diedBy),
        );
      },
      { timeout: 20_000 },
    )
    .toEqual([]);
  for (const token of (await line.github.control.tokens()).slice(tokensBefore)) {
    expect(token.expiresAt.getTime() - token.mintedAt.getTime()).toBeLessThanOrEqual(3_600_000);
    expect(token.repositoryIds).toEqual([line.github.repos[0]?.id]);
  }
}
