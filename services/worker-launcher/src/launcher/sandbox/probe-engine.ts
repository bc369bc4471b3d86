/**
 * Tries what a sandbox from an engine needs, in the form in which steps will need it: that the image is one which the guard
 * offers and has the programs of collectors, and whether the engine lays trees into overlays as collectors expect.
 */
import { AppError } from '@sallyport/shared/errors';
import { newId } from '@sallyport/shared/ids';
import { runDirectory, stepDirectories, treeLayers } from '../collector/layout.ts';
import type { Workspace } from '../workspace/workspace.ts';
import type { OverlayReport } from './detect-overlay.ts';
import type { SandboxDriver, SandboxExit, SandboxMount, SandboxSpec } from './driver.ts';

const MIB = 1024 * 1024;
const TREE = '0'.repeat(40);
const KEY = 'probe';
const FILES = `/c/run/trees/${TREE}`;
const NEEDED = '/usr/local/bin/node --version && git --version && test -r /collector/collect.mjs';
const LAY_OUT = `mkdir -p ${FILES}/files ${FILES}/git && cd ${FILES}/files && echo gone > gone && echo kept > kept`;
const TRY = [
  'rm gone && echo changed > kept && mkdir made',
  `test -c /c/run/steps/${KEY}/view/upper/gone`,
  `test "$(cat ${FILES}/files/kept)" = kept`,
].join(' && ');

export interface EngineProbe {
  driver: SandboxDriver;
  workspace: Workspace;
  stateDir: string;
}

/**
 * Tries image and overlay; takes a few seconds and leaves nothing behind.
 * @throws AppError `bad_config` when the image cannot be used, `unavailable` when guard or engine do not answer.
 */
export async function probeEngine(probe: EngineProbe): Promise<OverlayReport> {
  const { driver, workspace, stateDir } = probe;
  const run = runDirectory(stateDir, `probe-${newId()}`);
  const whole: SandboxMount = {
    kind: 'bind',
    role: 'run',
    source: run,
    target: '/c/run',
    access: 'read_write',
  };
  try {
    await workspace.makeDirectory(run);
    requireUsable(await driver.run(specOf(`${NEEDED} && ${LAY_OUT}`, '/tmp', [whole])));
    const overlay: SandboxMount = {
      kind: 'overlay',
      role: 'tree',
      layers: treeLayers(run, TREE, TREE),
      view: stepDirectories(run, KEY).view,
      target: '/work',
      access: 'read_write',
    };
    const look: SandboxMount = { ...whole, access: 'read_only' };
    const exit = await driver.run(specOf(TRY, '/work', [overlay, look]));
    if (exit.end.kind === 'exited' && exit.end.code === 0) return { usable: true };
    return { usable: false, problem: wordsOf(exit) };
  } finally {
    await workspace.remove(run);
  }
}

function requireUsable(exit: SandboxExit): void {
  const { end } = exit;
  if (end.kind === 'exited' && end.code === 0) return;
  if (end.kind === 'start_failed' && end.reason === 'driver_missing') {
    throw new AppError('unavailable', end.detail);
  }
  const mend =
    'give the id of an image of deploy/sandbox-image, and name the same in IMAGES of engine-guard';
  throw new AppError(
    'bad_config',
    `SANDBOX_IMAGE: no sandbox can be had of it (${wordsOf(exit)}); ${mend}`,
  );
}

function specOf(script: string, cwd: string, mounts: readonly SandboxMount[]): SandboxSpec {
  return {
    id: `probe-${newId()}`,
    argv: ['/bin/sh', '-c', script],
    env: { PATH: '/usr/local/bin:/usr/bin:/bin' },
    cwd,
    mounts,
    network: 'none',
    limits: {
      wallMs: 60_000,
      graceMs: 200,
      memoryBytes: 256 * MIB,
      processes: 64,
      fileBytes: 64 * MIB,
      diskBytes: 64 * MIB,
      outputBytes: MIB,
      openFiles: 256,
    },
    labels: { kind: 'probe' },
  };
}

function wordsOf({ end, stderr }: SandboxExit): string {
  const words = end.kind === 'start_failed' ? end.detail : stderr.text;
  return words.trim().slice(-500) || `the probe ended as ${JSON.stringify(end)}`;
}
