/** What can be done with a container of this deployment that is there: each act looks first whose it is. */
import { AppError, errorCodeOf } from '@sallyport/shared/errors';
import type { EngineClient, PendingAnswer } from '../engine/engine-client.ts';
import { StatsSchema } from '../engine/engine-types.ts';
import type { OwnContainers } from '../engine/own-containers.ts';
import type { WorkspaceStore } from '../workspace/workspace-store.ts';
import { chooseFrozen, scopesOf } from './choose-frozen.ts';
import { lentTo, volumesOf, type Labels } from './container-labels.ts';
import type { Freezer } from './freezer.ts';
import { createLocks } from './locks.ts';
import { requireVolumeName, type OverlayVolumes } from './volumes.ts';

export interface ActMeans {
  engine: EngineClient;
  containers: OwnContainers;
  volumes: OverlayVolumes;
  store: WorkspaceStore;
  freezer: Freezer;
}

export type WaitCondition = 'next-exit' | 'not-running';

export interface ContainerActs {
  /** False when it runs already. @throws AppError `conflict` for one that ran before. */
  start(id: string): Promise<boolean>;
  /** The exit status, once it has one; given up when the signal is aborted. */
  wait(id: string, condition: WaitCondition, signal: AbortSignal): Promise<unknown>;
  kill(id: string, signal: 'TERM' | 'KILL'): Promise<void>;
  /** Removes a container and what was made for it. @throws AppError `conflict` for one that runs, unless forced. */
  remove(id: string, force: boolean): Promise<void>;
  /** What it uses, in the engine's words. */
  use(id: string): Promise<unknown>;
}

export function createContainerActs(means: ActMeans): ContainerActs {
  const { engine, containers, volumes, store, freezer } = means;
  const locks = createLocks();
  /** Waits that the engine may not know of yet. */
  const waits = new Map<string, Set<PendingAnswer>>();

  async function startLocked(id: string, labels: Labels): Promise<void> {
    requireNew(id, (await containers.inspect(id)).State.Status);
    const lent = lentTo(labels);
    const running = (await containers.list('running')).map((other) => ({
      id: other.Id,
      lent: lentTo(other.labels),
    }));
    await freezer.whileFrozen(chooseFrozen(lent, running), async () => {
      // What was looked at when it was made may be something else by now.
      for (const name of [...lent.reads, ...lent.writes]) await store.requireDirectory(name);
      await engine.call({ method: 'POST', path: `/containers/${id}/start` });
    });
  }

  return {
    async start(id) {
      const { State, labels } = await containers.inspect(id);
      if (State.Running) return false;
      requireNew(id, State.Status);
      // An exit that nobody waited for yet would be waited for for ever.
      await Promise.allSettled([...(waits.get(id) ?? [])].map((pending) => pending.taken));
      await locks.holding([id, ...scopesOf(lentTo(labels))], () => startLocked(id, labels));
      return true;
    },
    async wait(id, condition, signal) {
      const { promise: known, pending } = deferWait(id, condition, signal);
      const all = waits.get(id) ?? new Set();
      waits.set(id, all.add(pending));
      try {
        await known;
        return (await pending.answer).json;
      } finally {
        all.delete(pending);
        if (all.size === 0) waits.delete(id);
      }
    },
    async kill(id, signal) {
      await containers.inspect(id);
      const send = (): Promise<unknown> =>
        engine.call({ method: 'POST', path: `/containers/${id}/kill`, query: { signal } });
      // An engine lets a container run on to hear of a signal; one that kills it runs nothing more.
      await (signal === 'KILL' ? send() : freezer.whileLoose(id, send));
    },
    async remove(id, force) {
      const { labels } = await containers.inspect(id);
      await engine.call({
        method: 'DELETE',
        path: `/containers/${id}`,
        query: { force: force ? '1' : '0', v: '1' },
      });
      await volumes.remove(volumesOf(labels).map(requireVolumeName));
    },
    async use(id) {
      await containers.inspect(id);
      const { json } = await engine.call({
        method: 'GET',
        path: `/containers/${id}/stats`,
        query: { stream: '0', 'one-shot': '1' },
      });
      return StatsSchema.parse(json);
    },
  };

  /** Counts as a wait from the moment it was asked for: whether the container is ours is found out meanwhile. */
  function deferWait(
    id: string,
    condition: WaitCondition,
    signal: AbortSignal,
  ): { promise: Promise<unknown>; pending: PendingAnswer } {
    const begun = containers
      .inspect(id)
      .then(() =>
        engine.begin(
          { method: 'POST', path: `/containers/${id}/wait`, query: { condition } },
          signal,
        ),
      );
    const pending = {
      taken: begun.then(({ taken }) => taken),
      answer: begun.then(({ answer }) => answer),
    };
    pending.taken.catch(() => undefined);
    pending.answer.catch(() => undefined);
    return { promise: begun, pending };
  }
}

function requireNew(id: string, status: string): void {
  if (status === 'created') return;
  throw new AppError('conflict', `container ${id} is ${status}: a sandbox runs once`);
}

/** Whether an act failed because what it was about is gone. */
export function isGone(error: unknown): boolean {
  return errorCodeOf(error) === 'not_found';
}
