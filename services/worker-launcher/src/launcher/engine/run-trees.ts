/**
 * The trees of one run on this host: each laid out once, whatever number of steps is given it, also when its work was done
 * on another host and has to be fetched from Postgres first. Where the kernel allows no overlay every step gets a copy.
 */
import { streamArtifact } from '@sallyport/shared/artifacts/store';
import type { StepRow } from '@sallyport/shared/db/step';
import { AppError } from '@sallyport/shared/errors';
import type { Withheld } from '../collector/configuration.ts';
import { layOutTree } from '../collector/lay-out-tree.ts';
import {
  mirrorDirectory,
  treeGitDirectory,
  treeLayers,
  type StepDirectories,
} from '../collector/layout.ts';
import { materialize } from '../collector/materialize.ts';
import type { CollectorOperation } from '../collector/operation.ts';
import { loadStepPack, writePatch } from '../collector/step-pack.ts';
import type { RunEnvironment } from '../environment/run-environment.ts';
import type { SandboxMount } from '../sandbox/driver.ts';
import { GIT_TARGET, TREE } from '../run/step-places.ts';
import type { AdmittedRun, RunWork } from '../run/work.ts';

const PATCH_MAX_BYTES = 16 * 1024 * 1024;

/** The tree that a step is given, and the step whose work it is; null for the start commit's. */
export interface BaseTree {
  tree: string;
  step: StepRow | null;
}

export interface PreparedTree {
  mounts: readonly SandboxMount[];
  /** What lies below the step's own layer; null where it got a copy. */
  layers: readonly string[] | null;
  /** Paths of the environment in it, which are no work of the step. */
  apart: readonly string[];
  /** The change since the start; null when there is none, or it is too large to be read. */
  patch: Buffer | null;
  /** What the step is shown as the base commit has it, because earlier steps could have steered it from there. */
  withheld: Withheld;
}

export interface RunTrees {
  /** Makes the tree ready for one step. */
  prepare(
    base: BaseTree,
    step: { id: string; directories: StepDirectories; readOnly: boolean },
  ): Promise<PreparedTree>;
  /** Says that the work of this commit was taken in here and need not be fetched. */
  knows(commit: string): void;
}

/** `environment` lies below every tree; null where there is none. */
export function createRunTrees(
  work: RunWork,
  admitted: AdmittedRun,
  startTree: string,
  environment: RunEnvironment | null,
): RunTrees {
  const start = admitted.claims.start.sha;
  const configurationFrom = admitted.claims.base.sha;
  const run = work.directories.pathOf(work.lease);
  const apart = environment?.paths ?? [];
  const known = new Set<string>();
  const ready = new Map<string, Promise<Ready>>();

  async function collect(
    id: string,
    operations: readonly CollectorOperation<unknown>[],
  ): Promise<void> {
    const { task } = admitted;
    await work.collector.run({
      id,
      labels: { task: task.id, run: work.lease.runId },
      mirror: { directory: mirrorDirectory(work.stateDir, task.repositoryId), access: 'read_only' },
      run,
      ...(environment === null
        ? {}
        : { environment: { directory: environment.directory, access: 'read_only' } as const }),
      operations,
      signal: work.signals.agent,
    });
  }

  function fetchOf({ step }: BaseTree): CollectorOperation<unknown>[] {
    if (step?.commit == null || step.packArtifactId === null || known.has(step.commit)) return [];
    const pack = streamArtifact(work.db, step.packArtifactId);
    return [loadStepPack({ commit: step.commit, start, pack })];
  }

  async function makeReady(base: BaseTree): Promise<Ready> {
    const { tree } = base;
    const pieces: Buffer[] = [];
    let withheld = NOTHING_WITHHELD;
    const note = (one: Withheld): void => {
      withheld = one;
    };
    const layOut =
      work.stepMount === 'overlay'
        ? [noting(layOutTree({ tree, start, configurationFrom }), note)]
        : [];
    const patch =
      tree === startTree
        ? []
        : [
            writePatch({
              from: startTree,
              to: tree,
              maxBytes: PATCH_MAX_BYTES,
              onData: (piece) => void pieces.push(Buffer.from(piece)),
            }),
          ];
    try {
      const operations = [...fetchOf(base), ...layOut, ...patch];
      if (operations.length > 0) await collect(`lay-${tree.slice(0, 12)}`, operations);
    } catch (error) {
      const onlyThePatch =
        error instanceof AppError &&
        error.code === 'too_large' &&
        error.detail['operation'] === 'write_patch';
      if (!onlyThePatch) throw error;
      pieces.length = 0;
    }
    if (base.step?.commit != null) known.add(base.step.commit);
    return { patch: pieces.length === 0 ? null : Buffer.concat(pieces), withheld };
  }

  /** Two steps that need the same tree at once wait for the same collector. */
  function readyOnce(base: BaseTree): Promise<Ready> {
    const found = ready.get(base.tree);
    if (found !== undefined) return found;
    const made = makeReady(base);
    ready.set(base.tree, made);
    made.catch(() => ready.delete(base.tree));
    return made;
  }

  return {
    knows: (commit) => void known.add(commit),
    async prepare(base, { id, directories, readOnly }) {
      const { patch, withheld } = await readyOnce(base);
      if (work.stepMount === 'overlay') {
        const below = environment === null ? [] : [environment.layer];
        const layers = [...treeLayers(run, base.tree, startTree), ...below];
        const git = treeGitDirectory(run, base.tree);
        const mounts = overlayMounts(layers, git, directories, readOnly);
        return { mounts, layers, apart, patch, withheld };
      }
      let kept = NOTHING_WITHHELD;
      const copy = materialize({
        key: id,
        tree: base.tree,
        start,
        configurationFrom,
        environment: apart,
      });
      await collect(`copy-${id}`, [noting(copy, (one) => void (kept = one))]);
      const mounts = copyMounts(directories, readOnly);
      return { mounts, layers: null, apart, patch, withheld: kept };
    },
  };
}

interface Ready {
  patch: Buffer | null;
  withheld: Withheld;
}
const NOTHING_WITHHELD: Withheld = { withheldCount: 0, withheld: [] };

/** The operation, whose result is heard also when one behind it fails. */
function noting<R>(
  operation: CollectorOperation<R>,
  note: (result: R) => void,
): CollectorOperation<R> {
  return {
    ...operation,
    result: operation.result.transform((result) => {
      note(result);
      return result;
    }),
  };
}

function overlayMounts(
  layers: readonly string[],
  git: string,
  { view }: StepDirectories,
  readOnly: boolean,
): SandboxMount[] {
  const tree: SandboxMount = {
    kind: 'overlay',
    role: 'tree',
    layers,
    view,
    target: TREE,
    access: 'read_write',
  };
  return readOnly ? [tree, gitMount(git)] : [tree];
}

function copyMounts({ tree }: StepDirectories, readOnly: boolean): SandboxMount[] {
  const copy: SandboxMount = {
    kind: 'bind',
    role: 'tree',
    source: tree,
    target: TREE,
    access: 'read_write',
  };
  return readOnly ? [copy, gitMount(`${tree}/.git`)] : [copy];
}

function gitMount(source: string): SandboxMount {
  return { kind: 'bind', role: 'git', source, target: GIT_TARGET, access: 'read_only' };
}
