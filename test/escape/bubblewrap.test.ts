import { afterAll, beforeAll, inject } from 'vitest';
import { createBubblewrapDriver } from '../../services/worker-launcher/src/launcher/sandbox/bubblewrap-driver.ts';
import { testEscapes } from './escape-suite.ts';
import { commandWithHole } from './hole.ts';
import { FILTERED_PROBE } from './probes/kernel.ts';
import { runCommand } from './run-probes.ts';
import { createWorld, type World } from './world.ts';

const driver = createBubblewrapDriver();
let world: World;
beforeAll(async () => {
  world = await createWorld({
    redisUrl: inject('redisUrl'),
    databaseUrl: inject('adminDatabaseUrl'),
  });
});
afterAll(() => world?.close());

testEscapes(
  () => ({
    driver,
    world,
    runWithout: (wall, argv, env) => runCommand(commandWithHole(wall, argv, world), env),
  }),
  { kernel: [FILTERED_PROBE] },
);
