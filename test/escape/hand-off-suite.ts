/** Traps in the place of a hand-off, as tests of whatever driver and workspace they are given. */
import { execFile } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { readHandOff } from '../../services/worker-launcher/src/launcher/read-hand-off.ts';
import type { SandboxDriver } from '../../services/worker-launcher/src/launcher/sandbox/driver.ts';
import { shellSpec } from '../../services/worker-launcher/src/launcher/sandbox/sandbox-fixture.ts';
import type { Workspace } from '../../services/worker-launcher/src/launcher/workspace/workspace.ts';
import { HAND_OFF_TRAPS, type HandOffTrap } from './traps.ts';

export interface HandOffRig {
  driver: SandboxDriver;
  workspace: Workspace;
  /** An empty directory: as specifications name it, and where it really lies. */
  place: () => Promise<{ source: string; onHost: string }>;
  /** A file of the host in which THROUGH stands. */
  secretFile: string;
}

const GOOD = JSON.stringify({ v: 1, outcome: 'done', summary: '', findings: [], claims: {} });

/** Defines the tests; `rig` gives the same rig at every call. */
export function testHandOffs(rig: () => HandOffRig): void {
  describe('a hostile step that leaves as its hand-off', () => {
    const named = HAND_OFF_TRAPS.map((trap) => [trap.leaves, trap] as const);
    test.each(named)('%s, has it refused where a naive reader is caught', async (_, trap) => {
      const { workspace } = rig();
      const { source, onHost } = await leave(rig(), trap.script);
      expect(await readHandOff(workspace, source)).toMatchObject({
        ok: false,
        problem: trap.problem,
      });
      expect(await readNaively(`${onHost}/hand-off.json`)).toBe(trap.naive);
    });

    test('a plain file has it read', async () => {
      const { source } = await leave(rig(), `echo '${GOOD}' > hand-off.json`);
      expect(await readHandOff(rig().workspace, source)).toMatchObject({ ok: true });
    });
  });
}

async function leave(
  { driver, place, secretFile }: HandOffRig,
  script: string,
): Promise<{ source: string; onHost: string }> {
  const { source, onHost } = await place();
  const exit = await driver.run(
    shellSpec(script, {
      id: `trap-${Math.random().toString(36).slice(2)}`,
      cwd: '/out',
      env: { PATH: '/usr/bin:/bin', SECRET: secretFile },
      mounts: [{ kind: 'bind', role: 'out', source, target: '/out', access: 'read_write' }],
      limits: { fileBytes: 2 ** 31 },
    }),
  );
  expect([exit.end, exit.stderr.text]).toEqual([{ kind: 'exited', code: 0 }, '']);
  return { source, onHost };
}

/** What becomes of a reader that opens whatever lies there: the trap works. */
function readNaively(path: string): Promise<HandOffTrap['naive']> {
  return new Promise((resolve) => {
    execFile(
      '/usr/bin/head',
      ['-c', '20000000', path],
      { timeout: 700, maxBuffer: 2 ** 25 },
      (error, stdout) => {
        if (error?.killed === true) resolve('waits');
        else if (error !== null) resolve('fails');
        else if (stdout.includes('THROUGH')) resolve('reads_the_secret');
        else resolve(stdout.length === 20_000_000 ? 'reads_much' : 'reads_it');
      },
    );
  });
}
