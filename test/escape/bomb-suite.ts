/** The attempts to use up the host, as tests of whatever driver they are given. */
import { describe, expect, test } from 'vitest';
import type {
  SandboxDriver,
  SandboxExit,
  SandboxLimits,
} from '../../services/worker-launcher/src/launcher/sandbox/driver.ts';
import { shellSpec } from '../../services/worker-launcher/src/launcher/sandbox/sandbox-fixture.ts';
import { BOMBS, type Bomb } from './bombs.ts';

export interface BombRig {
  driver: SandboxDriver;
  /** A directory, as specifications name it, that the sandbox's user may write. */
  place: () => Promise<string>;
}

/** Defines the tests; `rig` gives the same rig at every call. */
export function testBombs(rig: () => BombRig): void {
  describe('a hostile step', () => {
    const named = BOMBS.map((bomb) => [bomb.tries, bomb] as const);

    test.each(named)('%s, and is ended or refused', async (_, bomb) => {
      const exit = await explode(rig(), bomb, bomb.limits);
      expect(bomb.ends).toContain(exit.end.kind);
      // Of several processes the kernel may spare the one that says so: its end is told as what it was all the same.
      if (exit.end.kind !== 'exited') return;
      expect(exit.stdout.text).not.toContain('survived');
      expect(exit.stderr.text).toMatch(bomb.says ?? /^$/);
    });

    test.each(named)('%s, and survives where the limit is higher', async (_, bomb) => {
      const exit = await explode(rig(), bomb, bomb.twin);
      expect([exit.end, exit.stderr.text]).toEqual([{ kind: 'exited', code: 0 }, '']);
      expect(exit.stdout.text).toContain('survived');
    });
  });
}

async function explode(
  { driver, place }: BombRig,
  { program }: Bomb,
  limits: Partial<SandboxLimits>,
): Promise<SandboxExit> {
  const source = await place();
  return driver.run(
    shellSpec('', {
      id: `bomb-${Math.random().toString(36).slice(2)}`,
      argv:
        'sh' in program
          ? ['/bin/sh', '-c', program.sh]
          : ['/usr/bin/perl', '-e', `$| = 1; ${program.perl}`],
      mounts: [{ kind: 'bind', role: 'out', source, target: '/m', access: 'read_write' }],
      limits,
    }),
  );
}
