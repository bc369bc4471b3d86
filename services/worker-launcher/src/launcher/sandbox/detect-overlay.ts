/**
 * Finds out whether steps can have overlays on this machine, in the very directory in which they would lie: kernels,
 * distributions and file systems forbid them in many ways, and only trying tells.
 */
import { lstat, mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { removeTree } from '../workspace/remove-tree.ts';
import type { SandboxDriver, SandboxExit } from './driver.ts';
import { upperDirectory } from './overlay-mounts.ts';

const MIB = 1024 * 1024;
// The mark of a deletion is also made by collectors, where it is a file like any other.
const SCRIPT = 'rm gone && echo changed > kept && mkdir made && /usr/bin/mknod /plain/w c 0 0';

export type OverlayReport = { usable: true } | { usable: false; problem: string };

/** Tries an overlay in `directory`; takes some 100 ms and leaves nothing behind. */
export async function detectOverlay(
  driver: SandboxDriver,
  directory: string,
): Promise<OverlayReport> {
  await mkdir(directory, { recursive: true });
  const probe = await mkdtemp(join(directory, 'probe-'));
  try {
    const layer = join(probe, 'layer');
    const view = join(probe, 'view');
    const plain = join(probe, 'plain');
    await mkdir(layer);
    await mkdir(plain);
    for (const name of ['gone', 'kept']) await writeFile(join(layer, name), name);
    const exit = await driver.run({
      id: 'detect-overlay',
      argv: ['/bin/sh', '-c', SCRIPT],
      env: { PATH: '/usr/bin:/bin' },
      cwd: '/work',
      mounts: [
        {
          kind: 'overlay',
          role: 'tree',
          layers: [layer],
          view,
          target: '/work',
          access: 'read_write',
        },
        {
          kind: 'bind',
          role: 'plain',
          source: plain,
          target: '/plain',
          access: 'read_write',
        },
      ],
      network: 'none',
      limits: {
        wallMs: 10_000,
        graceMs: 200,
        memoryBytes: 64 * MIB,
        processes: 16,
        fileBytes: MIB,
        diskBytes: 16 * MIB,
        outputBytes: MIB,
        openFiles: 64,
      },
      labels: {},
    });
    if (exit.end.kind !== 'exited' || exit.end.code !== 0) return unusable(wordsOf(exit));
    const gone = await lstat(join(upperDirectory(view), 'gone'));
    if (!gone.isCharacterDevice() || gone.rdev !== 0) return unusable('deletions leave no mark');
    const kept = await readFile(join(layer, 'kept'), 'utf8');
    return kept === 'kept' ? { usable: true } : unusable('writes reach the layer below');
  } catch (error) {
    return unusable(error instanceof Error ? error.message : String(error));
  } finally {
    // The kernel leaves directories without permissions behind.
    await removeTree(probe);
  }
}

function unusable(problem: string): OverlayReport {
  return { usable: false, problem };
}

function wordsOf({ end, stderr }: SandboxExit): string {
  const words = end.kind === 'start_failed' ? end.detail || stderr.text : stderr.text;
  return words.trim().slice(-500) || `the probe ended as ${end.kind}`;
}
