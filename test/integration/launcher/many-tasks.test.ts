import { expect, test } from 'vitest';
import { createLauncherFixture } from './launcher-fixture.ts';
import { runManyTasks } from './many-tasks-suite.ts';
import { createTraces } from './many-tasks-traces.ts';

// Fifty are in the lane of crashes, which may take its time.
const COUNT = 12;

test(
  'twelve tasks at once, on launchers of which three are killed, end once each and leave nothing',
  { timeout: 240_000 },
  async () => {
    const fixture = await createLauncherFixture();
    const traces = createTraces(fixture.directory);
    let seen = 0;
    try {
      const look = (): void => void (seen = Math.max(seen, traces.look()));
      const directories = (): string[] => fixture.leftFiles();
      const rig = { fixture, env: {}, directories, look, findLeft: () => traces.find() };
      await runManyTasks(rig, { count: COUNT, seconds: 120 });
      // The twin: while there were sandboxes, they were found in the same way.
      expect(seen).toBeGreaterThan(1);
    } finally {
      await fixture.close();
    }
  },
);
