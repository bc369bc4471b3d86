/** What the tests of sandboxes share: a specification with small limits, and a shell program to run in it. */
import { newId } from '@sallyport/shared/ids';
import type { SandboxLimits, SandboxSpec } from './driver.ts';

export const MIB = 1024 * 1024;

export const SMALL_LIMITS: SandboxLimits = {
  wallMs: 20_000,
  graceMs: 300,
  memoryBytes: 512 * MIB,
  processes: 200,
  fileBytes: 64 * MIB,
  diskBytes: 256 * MIB,
  outputBytes: 8 * MIB,
  openFiles: 256,
};

/** A specification that runs `script` with sh; `over` replaces parts of it. */
export function shellSpec(
  script: string,
  over: Partial<Omit<SandboxSpec, 'limits'>> & { limits?: Partial<SandboxLimits> } = {},
): SandboxSpec {
  const { limits, ...rest } = over;
  return {
    id: `test-${newId()}`,
    argv: ['/bin/sh', '-c', script],
    env: { PATH: '/usr/bin:/bin' },
    cwd: '/tmp',
    mounts: [],
    network: 'none',
    labels: {},
    ...rest,
    limits: { ...SMALL_LIMITS, ...limits },
  };
}
