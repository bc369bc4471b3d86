import { join } from 'node:path';
import { afterAll, beforeAll, inject } from 'vitest';
import { testDriver } from '../../services/worker-launcher/src/launcher/sandbox/driver-suite.ts';
import { createDriverRig, type DriverRig } from './driver-rig.ts';

let rig: DriverRig;
beforeAll(async () => {
  rig = await createDriverRig(inject('engineSocket'));
});
afterAll(() => rig?.close());

// What an engine takes to make, start and remove a container on a busy machine.
testDriver(() => ({
  driver: rig.driver,
  place: rig.place,
  missing: join(rig.stateDir, 'runs/nobody/steps/s/in'),
  slackMs: 8_000,
}));
