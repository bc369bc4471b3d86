import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { createDockerDriver } from '../../services/worker-launcher/src/launcher/sandbox/docker-driver.ts';
import { probeEngine } from '../../services/worker-launcher/src/launcher/sandbox/probe-engine.ts';
import { shellSpec } from '../../services/worker-launcher/src/launcher/sandbox/sandbox-fixture.ts';
import { importBusybox } from '../support/engine/busybox-image.ts';
import { createDriverRig, type DriverRig } from './driver-rig.ts';

let rig: DriverRig;
let bare: string;
beforeAll(async () => {
  bare = await importBusybox(inject('engineSocket'), { repo: 'test/driver-start' });
  rig = await createDriverRig(inject('engineSocket'));
});
afterAll(() => rig?.close());

function probe(image: string): ReturnType<typeof probeEngine> {
  const { engine, instance, stateDir, workspace } = rig;
  const driver = createDockerDriver({
    engine,
    instance,
    image,
    stateDir,
    usageOf: workspace.usageOf,
  });
  return probeEngine({ driver, workspace, stateDir });
}

test('the image and its overlays are tried, and nothing is left of it', async () => {
  expect(await probe(rig.image)).toEqual({ usable: true });
  expect(await rig.workspace.list(join(rig.stateDir, 'runs'))).toEqual([]);
  expect(await rig.engine.list()).toEqual([]);
});

test('an image that the guard does not offer is named with its mend', async () => {
  const refused = probe(`sha256:${'0'.repeat(64)}`);
  await expect(refused).rejects.toMatchObject({ code: 'bad_config' });
  await expect(refused).rejects.toThrow(/^SANDBOX_IMAGE: .*IMAGES of engine-guard/s);
});

test('an image without what collectors need is no sandbox image', async () => {
  const again = await createDriverRig(inject('engineSocket'), { IMAGES: bare });
  try {
    const { engine, instance, stateDir, workspace } = again;
    const options = { engine, instance, image: bare, stateDir, usageOf: workspace.usageOf };
    const driver = createDockerDriver(options);
    expect((await driver.run(shellSpec('true'))).end).toEqual({ kind: 'exited', code: 0 });
    await expect(probeEngine({ driver, workspace, stateDir })).rejects.toMatchObject({
      code: 'bad_config',
    });
  } finally {
    await again.close();
  }
});

test('files for a step and from it pass through the guard', async () => {
  const { workspace, stateDir } = rig;
  const step = join(stateDir, 'runs/run-1/steps/one');
  await workspace.writeFile(join(step, 'in/hand-offs/plan.json'), '{"a":1}');
  await workspace.makeDirectory(join(step, 'out'));
  const mounts = [
    { kind: 'bind', role: 'in', source: join(step, 'in'), target: '/in', access: 'read_only' },
    { kind: 'bind', role: 'out', source: join(step, 'out'), target: '/out', access: 'read_write' },
  ] as const;
  const script =
    'cp /in/hand-offs/plan.json /out/hand-off.json; ln -s /etc/passwd /out/link; head -c 100 /dev/zero > /out/large; touch /in/x';
  const exit = await rig.driver.run(shellSpec(script, { mounts }));
  expect(exit.stderr.text).toContain('Read-only file system');
  const read = (name: string): ReturnType<typeof workspace.readFile> =>
    workspace.readFile(join(step, 'out', name), 50);
  expect(await read('hand-off.json')).toEqual({ kind: 'read', bytes: Buffer.from('{"a":1}') });
  expect(await read('link')).toEqual({ kind: 'not_a_plain_file' });
  expect(await read('large')).toEqual({ kind: 'too_large' });
  expect(await read('none')).toEqual({ kind: 'missing' });
  expect(await workspace.list(join(stateDir, 'runs'))).toContain('run-1');
  await workspace.remove(join(stateDir, 'runs/run-1'));
  await workspace.remove(join(stateDir, 'runs/run-1'));
  expect(await workspace.list(join(stateDir, 'runs'))).toEqual([]);
});

test('what lies outside the launcher’s own directories is neither mounted nor written', async () => {
  const { driver, workspace, stateDir } = rig;
  const mount = { kind: 'bind', role: 'in', source: '/etc', target: '/m', access: 'read_only' };
  const exit = await driver.run(
    shellSpec('true', { mounts: [{ ...mount, kind: 'bind' } as never] }),
  );
  expect(exit.end).toMatchObject({ kind: 'start_failed', reason: 'bad_spec' });
  await expect(workspace.writeFile(join(stateDir, '../x'), '')).rejects.toThrow('not below');
  await expect(workspace.makeDirectory(join(stateDir, 'elsewhere'))).rejects.toMatchObject({
    code: 'forbidden',
  });
});
