/**
 * The attempts to get out, as tests of whatever driver they are given: each is refused in the words that belong to it, and
 * each gets through as soon as one wall is gone.
 */
import { beforeAll, describe, expect, test } from 'vitest';
import type { SandboxDriver } from '../../services/worker-launcher/src/launcher/sandbox/driver.ts';
import { gotThrough, KINDS, type Probe, type ProbeKind, type Wall } from './probe.ts';
import { PROBES } from './probes/all-probes.ts';
import { perlArguments, runCommand, runInside, twinOnHost } from './run-probes.ts';
import { SECRET, SECRET_VARIABLE, type World } from './world.ts';

export interface EscapeRig {
  driver: SandboxDriver;
  world: World;
  /** Runs this program and its arguments in a sandbox with one wall less; what it printed. */
  runWithout: (
    wall: Wall,
    argv: readonly [string, ...string[]],
    env: Record<string, string>,
  ) => Promise<string>;
}

/** Defines the tests, with `more` of this driver's own; `rig` gives the same rig at every call. */
export function testEscapes(
  rig: () => EscapeRig,
  more: Readonly<Partial<Record<ProbeKind, readonly Probe[]>>> = {},
): void {
  describe.each(KINDS)('a hostile step, aiming at %s,', (kind: ProbeKind) => {
    const probes = [...PROBES[kind], ...(more[kind] ?? [])];
    let outputs: Record<string, string> = {};
    beforeAll(async () => {
      const { driver, world } = rig();
      outputs = await runInside(driver, probes, world);
    });

    const named = probes.map((probe) => [probe.tries, probe] as const);
    test.each(named)('%s, and is refused', (_, { tries, refusal }) => {
      const output = outputs[tries] ?? '';
      expect(output).toMatch(refusal);
      expect(gotThrough(output)).toBe(false);
    });

    test.each(named)('%s, and with a wall less gets through', async (_, probe) => {
      expect(await runTwin(rig(), probe)).toContain('THROUGH');
    });
  });
}

function runTwin({ world, runWithout }: EscapeRig, probe: Probe): Promise<string> {
  const env = { [SECRET_VARIABLE]: SECRET };
  const { twin } = probe;
  if ('on' in twin) return runCommand(twinOnHost(probe, twin.on, world));
  return runWithout(
    twin.without,
    ['/usr/bin/perl', ...perlArguments(probe, world)],
    twin.without === 'environment' ? env : {},
  );
}
