/**
 * What one step costs besides its agent: its view of the tree, the start of its sandbox, the comparison afterwards, and for
 * a step that writes also laying its tree out for the next one. Made of the very parts that a run is made of.
 */
import { chmod } from 'node:fs/promises';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createCollector, type Collector } from '../collector/collector.ts';
import { layOutTree } from '../collector/lay-out-tree.ts';
import {
  HISTORY_TARGET,
  historyDirectory,
  mirrorDirectory,
  runDirectory,
  stepDirectories,
  treeGitDirectory,
  treeLayers,
} from '../collector/layout.ts';
import { extendMirror } from '../collector/mirror.ts';
import { prepareRun } from '../collector/prepare-run.ts';
import { takeTree } from '../collector/take-tree.ts';
import { createLocalWorkspace } from '../workspace/local-workspace.ts';
import { removeTree } from '../workspace/remove-tree.ts';
import { GIT_TARGET, STEP_LIMITS, TREE } from '../run/step-places.ts';
import { createBubblewrapDriver } from '../sandbox/bubblewrap-driver.ts';
import type { SandboxMount } from '../sandbox/driver.ts';
import { upperDirectory } from '../sandbox/overlay-mounts.ts';
import type { BenchProject } from './make-project.ts';

export interface StepTimes {
  /** Until the agent's sandbox had ended. */
  startMs: number;
  /** Comparing, and laying out the tree that a writing step leaves. */
  takeMs: number;
  totalMs: number;
}

export interface StepBench {
  /** Laying the start tree out, once for all steps of a run. */
  layOutMs: number;
  step(kind: 'reader' | 'writer'): Promise<StepTimes>;
}

const LABELS = { kind: 'bench' };
/** A change of one tracked file and some output, as a step with tests makes it. */
const AGENT = 'echo changed >> area-0/part-0/file-1.js; mkdir -p coverage; echo x > coverage/x';

/** Prepares a run on the project below `stateDir`. */
export async function createStepBench(stateDir: string, project: BenchProject): Promise<StepBench> {
  const driver = createBubblewrapDriver();
  const collector = createCollector(driver, createLocalWorkspace());
  const mirror = mirrorDirectory(stateDir, 1);
  const run = runDirectory(stateDir, 'bench');
  const start = project.head;
  await collector.run({
    id: 'feed',
    labels: LABELS,
    mirror: { directory: mirror, access: 'read_write' },
    run,
    operations: [extendMirror({ pack: once(project.pack()), shallow: [] }), prepareRun({ start })],
  });
  const place = {
    labels: LABELS,
    mirror: { directory: mirror, access: 'read_only' },
    run,
  } as const;
  const from = performance.now();
  const [laid] = await collector.run({
    ...place,
    id: 'lay',
    operations: [layOutTree({ tree: start, start })],
  });
  const layOutMs = performance.now() - from;
  let count = 0;

  async function take(
    key: string,
    kind: 'reader' | 'writer',
  ): Promise<ReturnType<typeof resultOf>> {
    const { view, look } = stepDirectories(run, key);
    const upper = upperDirectory(view);
    await chmod(upper, 0o700);
    const [taken] = await collector.run({
      ...place,
      id: `take-${key}`,
      look: { layers: [upper, ...treeLayers(run, laid.tree, laid.startTree)], view: look },
      operations: [
        takeTree({
          key,
          given: laid.tree,
          start,
          layered: true,
          trackedOnly: kind === 'reader',
          ...(kind === 'reader' ? {} : { onPack: () => undefined }),
        }),
      ],
    });
    return resultOf(taken);
  }

  return {
    layOutMs,
    async step(kind) {
      count += 1;
      const key = `step-${count}`;
      const directories = stepDirectories(run, key);
      mkdirSync(directories.directory, { recursive: true });
      const began = performance.now();
      const exit = await driver.run({
        id: key,
        argv: ['/bin/sh', '-c', AGENT],
        env: { PATH: '/usr/bin:/bin' },
        cwd: TREE,
        mounts: mountsOf(run, laid, directories.view, kind),
        network: 'none',
        limits: { ...STEP_LIMITS, wallMs: 60_000 },
        labels: LABELS,
      });
      if (exit.end.kind !== 'exited' || exit.end.code !== 0) {
        throw new Error(`the step ended as ${JSON.stringify(exit.end)}: ${exit.stderr.text}`);
      }
      const startMs = performance.now() - began;
      const tree = await take(key, kind);
      if (kind === 'writer') await layOutNext(collector, place, tree, start);
      const totalMs = performance.now() - began;
      await removeTree(directories.directory);
      if (kind === 'writer') await removeTree(join(run, 'trees', tree));
      return { startMs, takeMs: totalMs - startMs, totalMs };
    },
  };
}

function mountsOf(
  run: string,
  { tree, startTree }: { tree: string; startTree: string },
  view: string,
  kind: 'reader' | 'writer',
): SandboxMount[] {
  const git: SandboxMount[] =
    kind === 'writer' ? [] : [bind('git', treeGitDirectory(run, tree), GIT_TARGET)];
  return [
    {
      kind: 'overlay',
      role: 'tree',
      layers: treeLayers(run, tree, startTree),
      view,
      target: TREE,
      access: 'read_write',
    },
    ...git,
    bind('history', historyDirectory(run), HISTORY_TARGET),
  ];
}

function bind(role: string, source: string, target: string): SandboxMount {
  return { kind: 'bind', role, source, target, access: 'read_only' };
}

async function layOutNext(
  collector: Collector,
  place: Omit<Parameters<Collector['run']>[0], 'id' | 'operations'>,
  tree: string,
  start: string,
): Promise<void> {
  await collector.run({ ...place, id: 'lay-next', operations: [layOutTree({ tree, start })] });
}

function resultOf(taken: { kind: string; tree?: string; changeCount?: number }): string {
  if (taken.kind !== 'taken' || taken.tree === undefined || taken.changeCount === 0) {
    throw new Error('the change of the step was not found');
  }
  return taken.tree;
}

async function* once(bytes: Buffer): AsyncGenerator<Uint8Array> {
  yield await Promise.resolve(bytes);
}
