import { createTemporaryDirectory } from '@sallyport/cli/local/temporary';
import { CRASH_POINTS } from '@sallyport/shared/crash-points';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { CRASH_MOMENTS } from '../support/line/crash-moments.ts';
import { dieAt } from '../support/line/die-at.ts';
import { SAMPLE_FIX } from '../support/line/sample-project.ts';
import { startLine, type Line } from '../support/line/start-line.ts';

let line: Line;
const state = createTemporaryDirectory();
beforeAll(async () => {
  line = await startLine({
    state: state.path,
    env: {},
    script: SAMPLE_FIX,
    leaseSeconds: 3,
    crashes: true,
  });
});
afterAll(async () => {
  await line.stop();
  state.remove();
});

it.each(CRASH_POINTS.filter((point) => CRASH_MOMENTS[point].always === true))(
  'killed at %s, the line goes on and does everything once',
  (point) => dieAt(line, point, { flush: false }),
);

it('leaves no token that outlives its hour', async () => {
  await line.github.control.advanceClock(3_600_000);
  expect(await line.github.control.liveTokens()).toEqual([]);
});
