/**
 * Tries, with a container of the first image, whether the engine finds the guard's directories and lays them into an
 * overlay. What the program in it does is of no interest: a mount that fails, fails before it.
 */
import { AppError } from '@sallyport/shared/errors';
import type { ContainerActs } from '../containers/container-acts.ts';
import type { CreateContainer } from '../containers/create-container.ts';
import { newId } from '@sallyport/shared/ids';
import type { WorkspaceStore } from '../workspace/workspace-store.ts';

const MIB = 1024 * 1024;
const NOT_MOUNTED = /mount|bind source path/i;

export interface ProbeMeans {
  create: CreateContainer;
  acts: Pick<ContainerActs, 'start' | 'remove'>;
  store: Pick<WorkspaceStore, 'makeDirectory' | 'makeView' | 'remove'>;
  image: string;
}

/** @throws AppError `bad_config` in the engine's words. */
export async function probeOverlay({ create, acts, store, image }: ProbeMeans): Promise<void> {
  const id = newId();
  const run = `runs/probe-${id}`;
  try {
    await store.makeDirectory(run);
    // The upper directory of one view is a layer for the other, as it is when collectors look at what a step did.
    await store.makeView(`${run}/steps/below/view`);
    await start({ create, acts }, `probe-${id}`, {
      Image: image,
      Cmd: ['/bin/true'],
      Env: [],
      WorkingDir: '/tmp',
      Labels: { lease: `probe-${id}`, kind: 'probe' },
      Limits: {
        memoryBytes: 64 * MIB,
        processes: 16,
        fileBytes: MIB,
        openFiles: 64,
        tmpBytes: MIB,
      },
      Mounts: [
        {
          kind: 'overlay',
          layers: [`${run}/steps/below/view/upper`],
          view: `${run}/steps/above/view`,
          target: '/work',
          readOnly: false,
        },
      ],
      OpenStdin: false,
    });
  } finally {
    await store.remove(run);
  }
}

async function start(
  { create, acts }: Pick<ProbeMeans, 'create' | 'acts'>,
  name: string,
  body: object,
): Promise<void> {
  let made: string | undefined;
  try {
    made = (await create(name, body)).Id;
    await acts.start(made);
  } catch (cause) {
    const words = cause instanceof Error ? cause.message : String(cause);
    // Of a program that the image does not have nothing follows.
    if (!NOT_MOUNTED.test(words)) return;
    throw new AppError(
      'bad_config',
      `GUARD_ROOT: the engine cannot mount an overlay of its directories (${words}); choose a file system that allows overlays (ext4, xfs), and set GUARD_ROOT_ON_HOST where the guard runs in a container`,
      { cause },
    );
  } finally {
    if (made !== undefined) await acts.remove(made, true);
  }
}
