import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterAll, beforeAll, inject } from 'vitest';
import { newId } from '@sallyport/shared/ids';
import { createDriverRig, type DriverRig } from '../engine/driver-rig.ts';
import { testBombs } from './bomb-suite.ts';
import { createContainerTwins, type ContainerTwins } from './container-with-hole.ts';
import { testEscapes } from './escape-suite.ts';
import { testHandOffs } from './hand-off-suite.ts';
import { createWorld, type World } from './world.ts';

/** Whom the guard's sandboxes run as. */
const SANDBOX_UID = 20_000;

let rig: DriverRig;
let world: World;
let twins: ContainerTwins;
let root: string;
beforeAll(async () => {
  const engineSocket = inject('engineSocket');
  rig = await createDriverRig(engineSocket);
  world = await createWorld(
    { redisUrl: inject('redisUrl'), databaseUrl: inject('adminDatabaseUrl') },
    SANDBOX_UID,
  );
  // The very ones of this rig, and not stand-ins.
  world.sockets = { engine: engineSocket, guard: rig.guardSocket };
  twins = await createContainerTwins(rig, engineSocket, world);
  root = mkdtempSync(join(tmpdir(), 'escape-docker-'));
  chmodSync(root, 0o755);
  mkdirSync(join(root, 'private'));
  writeFileSync(join(root, 'private/secret'), 'THROUGH\n');
});
afterAll(async () => {
  await world?.close();
  await rig?.close();
  rmSync(root, { recursive: true, force: true });
});

testEscapes(() => ({
  driver: rig.driver,
  world,
  runWithout: (wall, argv, env) => twins.run(wall, argv, env),
}));

async function place(): Promise<string> {
  const source = join(rig.stateDir, `runs/r-${newId()}/steps/s/out`);
  await rig.workspace.makeDirectory(source);
  return source;
}

testBombs(() => ({ driver: rig.driver, place }));
testHandOffs(() => ({
  driver: rig.driver,
  workspace: rig.workspace,
  secretFile: join(root, 'private/secret'),
  async place() {
    const source = await place();
    return { source, onHost: join(rig.guardRoot, relative(rig.stateDir, source)) };
  },
}));
