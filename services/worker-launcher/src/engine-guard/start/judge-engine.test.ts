import { expect, test } from 'vitest';
import type { EngineInfo, EngineVersion } from '../engine/engine-types.ts';
import { judgeEngine, type Demands } from './judge-engine.ts';

const INFO: EngineInfo = {
  ServerVersion: '20.10.24',
  Driver: 'overlay2',
  NCPU: 2,
  DockerRootDir: '/var/lib/docker',
  MemoryLimit: true,
  SwapLimit: true,
  PidsLimit: true,
  CpuCfsQuota: true,
  SecurityOptions: ['name=seccomp,profile=default'],
  Runtimes: { runc: {} },
};
const VERSION: EngineVersion = {
  ApiVersion: '1.41',
  MinAPIVersion: '1.12',
  Components: [{ Name: 'docker-init', Version: '0.19.0' }],
};
const DEMANDS: Demands = { runtime: undefined, userns: 'as_it_is', uid: 20_000, gid: 20_000 };

test('an engine that can bound what a sandbox uses is used', () => {
  expect(judgeEngine(INFO, VERSION, DEMANDS)).toEqual({
    version: '/v1.41',
    owner: { uid: 20_000, gid: 20_000 },
    hasInit: true,
    warnings: [],
  });
});

test.each<[string, Partial<EngineInfo>, Partial<EngineVersion>, Partial<Demands>, string]>([
  ['no bound for memory', { MemoryLimit: false }, {}, {}, 'cannot bound memory'],
  ['no bound for processes', { PidsLimit: false }, {}, {}, 'cannot bound processes'],
  ['no bound for CPU time', { CpuCfsQuota: false }, {}, {}, 'cannot bound CPU time'],
  ['no seccomp', { SecurityOptions: [] }, {}, {}, 'without seccomp'],
  [
    'seccomp switched off',
    { SecurityOptions: ['name=seccomp,profile=unconfined'] },
    {},
    {},
    'without seccomp',
  ],
  [
    'an engine without root',
    { SecurityOptions: ['name=seccomp,profile=default', 'name=rootless'] },
    {},
    {},
    'without root',
  ],
  ['an API that is too old', {}, { ApiVersion: '1.40' }, {}, 'update it'],
  ['a version that is none', {}, { ApiVersion: 'latest' }, {}, 'update it'],
  ['no such runtime', {}, {}, { runtime: 'runsc' }, 'no runtime "runsc"'],
  ['a runtime by an inherited name', {}, {}, { runtime: 'constructor' }, 'no runtime'],
  ['users that are not remapped', {}, {}, { userns: 'remap_required' }, 'does not remap users'],
])('%s: refused, with the mend', (_, info, version, demands, words) => {
  expect(() =>
    judgeEngine({ ...INFO, ...info }, { ...VERSION, ...version }, { ...DEMANDS, ...demands }),
  ).toThrow(words);
});

test('a later engine that has forgotten 1.41 is spoken to in the oldest version it knows', () => {
  expect(judgeEngine(INFO, { ApiVersion: '1.52', MinAPIVersion: '1.44' }, DEMANDS).version).toBe(
    '/v1.44',
  );
});

test('where users are remapped, files belong to the number that the sandbox has on the host', () => {
  const info = {
    ...INFO,
    DockerRootDir: '/var/lib/docker/165536.165537',
    SecurityOptions: ['name=seccomp,profile=default', 'name=userns'],
  };
  const demands: Demands = { ...DEMANDS, userns: 'remap_required' };
  expect(judgeEngine(info, VERSION, demands).owner).toEqual({ uid: 185_536, gid: 185_537 });
  expect(() => judgeEngine({ ...info, DockerRootDir: '/data' }, VERSION, demands)).toThrow(
    'to which numbers',
  );
});

test('an engine without a first process, or a bound for swap, is used and told of', () => {
  const judged = judgeEngine(
    { ...INFO, SwapLimit: false },
    { ...VERSION, Components: [{ Name: 'docker-init', Version: 'N/A' }] },
    DEMANDS,
  );
  expect(judged.hasInit).toBe(false);
  expect(judged.warnings).toHaveLength(1);
});
