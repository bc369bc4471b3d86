/** Fifty tasks at once while launchers die. */
import { expect, test } from 'vitest';
import { createLauncherFixture } from '../integration/launcher/launcher-fixture.ts';
import { runManyTasks } from '../integration/launcher/many-tasks-suite.ts';
import { createTraces } from '../integration/launcher/many-tasks-traces.ts';

const COUNT = 50;

test(
  'fifty tasks at once, on launchers of which three are killed, end once each and leave nothing',
  { timeout: 600_000 },
  async () => {
    const fixture = await createLauncherFixture();
    const traces = createTraces(fixture.directory);
    let seen = 0;
    try {
      const look = (): void => void (seen = Math.max(seen, traces.look()));
      const directories = (): string[] => fixture.leftFiles();
      const rig = { fixture, env: {}, directories, look, findLeft: () => traces.find() };
      await runManyTasks(rig, { count: COUNT, seconds: 300 });
      // The twin: while there were sandboxes, they were found in the same way.
      expect(seen).toBeGreaterThan(1);
    } finally {
      await fixture.close();
    }
  },
);
