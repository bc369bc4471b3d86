import { setTimeout as sleep } from 'node:timers/promises';
import { createTemporaryDirectory } from '@sallyport/cli/local/temporary';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { expectTidy } from '../support/line/die-at.ts';
import { effectsBetween } from '../support/line/effects.ts';
import { ask, expectPublishedOnce, until } from '../support/line/requests-of.ts';
import { SAMPLE_FIX } from '../support/line/sample-project.ts';
import { startSecondProcesses } from '../support/line/second-processes.ts';
import { startLine, type Line } from '../support/line/start-line.ts';

let line: Line | undefined;
const state = createTemporaryDirectory();
beforeAll(async () => {
  // Servers of its own, since it stops them.
  line = await startLine({ state: state.path, env: {}, script: SAMPLE_FIX, crashes: true });
});
afterAll(async () => {
  await line?.stop();
  state.remove();
});

function theLine(): Line {
  if (line === undefined) throw new Error('the line did not start');
  return line;
}

function serversOf({ deployment: { servers } }: Line) {
  if (servers === undefined) throw new Error('these servers are not the test’s own');
  return servers;
}

it('goes on when Redis has been away for ten seconds and comes back empty', async () => {
  const where = theLine();
  const under = await ask(where);
  await until(where, under, 'step_started');
  const back = serversOf(where).restartRedis(10_000);
  await sleep(1_000);
  const meanwhile = await ask(where);
  expect(meanwhile.statusCode).toBe(202);
  await back;
  await expectPublishedOnce(where, under);
  await expectPublishedOnce(where, meanwhile);
  await expectPublishedOnce(where, await ask(where));
  expect(where.notes).toEqual([]);
});

it('does nothing while Postgres is away, and goes on when it is back', async () => {
  const where = theLine();
  const under = await ask(where);
  await until(where, under, 'bundle_collected');
  const another = await ask(where);
  await until(where, another, 'step_started');
  const stopsAt = Date.now();
  const back = serversOf(where).restartPostgres(6_000);
  await sleep(3_000);
  const meanwhile = await ask(where);
  expect(meanwhile.statusCode).toBeGreaterThanOrEqual(500);
  await sleep(2_500);
  const stillAwayAt = new Date();
  await back;
  // From a second after the server took no more questions on; it may take its time to stop.
  expect(await effectsBetween(where, new Date(stopsAt + 3_000), stillAwayAt)).toEqual([]);
  for (const asked of [under, another, meanwhile]) await expectPublishedOnce(where, asked);
  expect(where.notes).toEqual([]);
});

it('two processes of each kind at once still do everything once', async () => {
  const where = theLine();
  const before = (await where.github.control.tokens()).length;
  await startSecondProcesses(where);
  const asked = await Promise.all([ask(where), ask(where), ask(where), ask(where)]);
  for (const one of asked) await expectPublishedOnce(where, one);
  await expectTidy(where, before);
  expect(where.notes).toEqual([]);
  await where.github.control.assertClean();
});
