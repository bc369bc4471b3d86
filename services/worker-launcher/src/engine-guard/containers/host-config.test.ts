import { expect, test } from 'vitest';
import type { CreateBody } from './create-body.ts';
import { containerBody, type ContainerParts, type WallSettings } from './host-config.ts';

const MIB = 1024 * 1024;
const WALL: WallSettings = { deployment: 'demo', uid: 20_000, gid: 20_001, cpus: 2, hasInit: true };
const BODY: CreateBody = {
  Image: 'name@sha256:…',
  Cmd: ['/bin/agent', '--quick'],
  Env: ['A=b'],
  WorkingDir: '/work',
  Labels: { lease: 'one', run: 'r' },
  Limits: { memoryBytes: 64 * MIB, processes: 8, fileBytes: 7, openFiles: 9, tmpBytes: MIB },
  Mounts: [],
  OpenStdin: true,
};
const LENT = { reads: [], writes: [], holding: [] };

function hostConfig(mounts: ContainerParts['mounts'] = [], wall: Partial<WallSettings> = {}) {
  const parts = { body: BODY, imageId: 'sha256:id', lent: LENT, mounts };
  return containerBody(parts, { ...WALL, ...wall })['HostConfig'] as Record<string, unknown>;
}

test('the program is the entry point, the image goes by its id, the marks are the guard’s', () => {
  const body = containerBody({ body: BODY, imageId: 'sha256:id', lent: LENT, mounts: [] }, WALL);
  expect(body).toMatchObject({
    Image: 'sha256:id',
    User: '20000:20001',
    Entrypoint: ['/bin/agent'],
    Cmd: ['--quick'],
    StdinOnce: true,
    Healthcheck: { Test: ['NONE'] },
    Labels: { 'sallyport.deployment': 'demo', 'sallyport.lease': 'one', 'sallyport.run': 'r' },
  });
});

test('memory and swap are one bound, processors are the ceiling where none are asked for', () => {
  expect(hostConfig()).toMatchObject({
    Memory: 64 * MIB,
    MemorySwap: 64 * MIB,
    NanoCpus: 2e9,
    PidsLimit: 8,
  });
});

test('a volume is not filled from the image, a bind brings no mounts of the host along', () => {
  const { Mounts } = hostConfig([
    { kind: 'volume', name: 'v', target: '/work', readOnly: false },
    { kind: 'bind', source: '/guard/in', target: '/in', readOnly: true },
  ]);
  expect(Mounts).toEqual([
    {
      Type: 'volume',
      Source: 'v',
      Target: '/work',
      ReadOnly: false,
      VolumeOptions: { NoCopy: true },
    },
    {
      Type: 'bind',
      Source: '/guard/in',
      Target: '/in',
      ReadOnly: true,
      BindOptions: { Propagation: 'rprivate' },
    },
  ]);
});

test('scratch space is the guard’s own unless something is laid over it', () => {
  const { Tmpfs } = hostConfig([
    { kind: 'bind', source: '/guard/x', target: '/run', readOnly: true },
    { kind: 'tmpfs', target: '/scratch', sizeBytes: 5 },
  ]) as { Tmpfs: Record<string, string> };
  expect(Object.keys(Tmpfs).toSorted()).toEqual(['/home/agent', '/scratch', '/tmp', '/var/tmp']);
  expect(Object.values(Tmpfs).every((options) => options.includes('nosuid,nodev,size='))).toBe(
    true,
  );
});

test('a runtime is named only where one was configured', () => {
  expect(hostConfig()).not.toHaveProperty('Runtime');
  expect(hostConfig([], { runtime: 'runsc', hasInit: false })).toMatchObject({
    Runtime: 'runsc',
    Init: false,
  });
});
