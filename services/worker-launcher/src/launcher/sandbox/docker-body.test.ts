import { expect, test } from 'vitest';
import { guardCreate, nameInWorkspace, writtenDirectories } from './docker-body.ts';
import type { SandboxMount, SandboxSpec } from './driver.ts';
import { MIB, SMALL_LIMITS } from './sandbox-fixture.ts';

const PLACE = { image: `sha256:${'a'.repeat(64)}`, stateDir: '/var/lib/sallyport' };
const STEP = '/var/lib/sallyport/runs/r-1/steps/s';
const TREES = '/var/lib/sallyport/runs/r-1/trees';

function spec(over: Partial<SandboxSpec> = {}): SandboxSpec {
  return {
    id: 's-1',
    argv: ['/bin/true', '--x'],
    env: { PATH: '/bin', A: 'b=c' },
    cwd: '/work',
    mounts: [],
    network: 'none',
    limits: SMALL_LIMITS,
    labels: { task: 't', run: 'r', lease: 'l' },
    ...over,
  };
}

function bind(role: string, source: string, access: 'read_only' | 'read_write'): SandboxMount {
  return { kind: 'bind', role, source, target: `/${role}`, access };
}

test('a specification becomes a body with nothing in it but what a launcher may say', () => {
  expect(guardCreate(spec({ stdin: Buffer.from('x') }), PLACE)).toEqual({
    Image: PLACE.image,
    Cmd: ['/bin/true', '--x'],
    Env: ['PATH=/bin', 'A=b=c'],
    WorkingDir: '/work',
    Labels: { task: 't', run: 'r', lease: 'l' },
    Limits: {
      memoryBytes: 512 * MIB,
      processes: 200,
      fileBytes: 64 * MIB,
      openFiles: 256,
      tmpBytes: 256 * MIB,
    },
    Mounts: [],
    OpenStdin: true,
  });
  expect(guardCreate(spec(), PLACE).OpenStdin).toBe(false);
});

test('directories are spoken of by their names in the workspace', () => {
  const mounts: SandboxMount[] = [
    bind('in', `${STEP}/in`, 'read_only'),
    bind('out', `${STEP}/out`, 'read_write'),
    {
      kind: 'overlay',
      role: 'tree',
      layers: [`${TREES}/t/git`, `${TREES}/t/files`],
      view: `${STEP}/view`,
      target: '/work',
      access: 'read_write',
    },
    { kind: 'tmpfs', role: 'cache', target: '/cache', sizeBytes: MIB },
  ];
  const body = guardCreate(spec({ mounts }), PLACE);
  expect(body.Mounts).toEqual([
    { kind: 'directory', name: 'runs/r-1/steps/s/in', target: '/in', readOnly: true },
    { kind: 'directory', name: 'runs/r-1/steps/s/out', target: '/out', readOnly: false },
    {
      kind: 'overlay',
      layers: ['runs/r-1/trees/t/git', 'runs/r-1/trees/t/files'],
      view: 'runs/r-1/steps/s/view',
      target: '/work',
      readOnly: false,
    },
    { kind: 'tmpfs', target: '/cache', sizeBytes: MIB },
  ]);
  expect(writtenDirectories(body)).toEqual(['runs/r-1/steps/s/out', 'runs/r-1/steps/s/view']);
});

test('what the image carries is not lent, and registries are lent by the name that they have inside', () => {
  const mounts: SandboxMount[] = [
    bind('collector', '/opt/sallyport/inside', 'read_only'),
    bind('agent', '/opt/agents', 'read_only'),
    { ...bind('registry', '/srv/npm', 'read_only'), target: '/registry/npm' },
  ];
  expect(guardCreate(spec({ mounts }), PLACE).Mounts).toEqual([
    { kind: 'lent', name: 'npm', target: '/registry/npm' },
  ]);
});

test.each([
  ['the host', '/etc'],
  ['the state directory itself', '/var/lib/sallyport'],
  ['a neighbour with the same beginning', '/var/lib/sallyport-2/runs'],
])('%s cannot be mounted', (_, source) => {
  const mounts = [bind('in', source, 'read_only')];
  expect(() => guardCreate(spec({ mounts }), PLACE)).toThrow('is not below');
  expect(() => nameInWorkspace(source, PLACE.stateDir)).toThrow('is not below');
  expect(nameInWorkspace('/var/lib/sallyport/runs', PLACE.stateDir)).toBe('runs');
});

test('an id that cannot name a container is refused', () => {
  expect(() => guardCreate(spec({ id: '../x' }), PLACE)).toThrow('cannot name a container');
  expect(() => guardCreate(spec({ id: '' }), PLACE)).toThrow('cannot name a container');
});
