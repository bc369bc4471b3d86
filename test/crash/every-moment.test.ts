/** Every crash point, plain and with Redis emptied at the moment of death. Takes a quarter of an hour: `npm run test:crash`. */
import { createTemporaryDirectory } from '@sallyport/cli/local/temporary';
import { CRASH_POINTS } from '@sallyport/shared/crash-points';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { dieAt } from '../support/line/die-at.ts';
import { SAMPLE_FIX } from '../support/line/sample-project.ts';
import { startLine, type Line } from '../support/line/start-line.ts';

let line: Line | undefined;
const state = createTemporaryDirectory();
beforeAll(async () => {
  const script = SAMPLE_FIX;
  line = await startLine({ state: state.path, env: {}, script, leaseSeconds: 3, crashes: true });
});
afterAll(async () => {
  await line?.stop();
  state.remove();
});

describe.each([
  ['', false],
  [' and Redis emptied', true],
])('killed%s', (_, flush) => {
  it.each(CRASH_POINTS)('at %s, the line goes on and does everything once', async (point) => {
    if (line === undefined) throw new Error('the line did not start');
    await dieAt(line, point, { flush });
  });
});
