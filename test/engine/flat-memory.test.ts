import { expect, inject, test } from 'vitest';
import { measureDrift } from '../integration/launcher/flat-memory.ts';
import { createDriverRig } from './driver-rig.ts';

// Every byte goes through the engine and its guard.
test(
  'a container that prints 2 GB costs its launcher no memory',
  { timeout: 400_000 },
  async () => {
    const rig = await createDriverRig(inject('engineSocket'));
    try {
      const { guardSocket, image, instance, stateDir } = rig;
      const docker = { guardSocket, image, instance, stateDir };
      expect(await measureDrift({ bytes: 2_000_000_000, docker })).toBeLessThan(20);
    } finally {
      await rig.close();
    }
  },
);
