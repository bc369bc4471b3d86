/**
 * Holds containers still while another one's mounts are made. An engine finds a directory by its path at the moment of the
 * start and follows links in it; a program that may write above that directory could change it between the guard's look
 * and the engine's, however short that is. What is frozen changes nothing.
 */
import { AppError, errorCodeOf } from '@sallyport/shared/errors';
import type { EngineClient } from '../engine/engine-client.ts';
import type { OwnContainers } from '../engine/own-containers.ts';

export interface Freezer {
  /** Runs the work while none of these containers runs; those that end meanwhile are fine. */
  whileFrozen<T>(ids: readonly string[], work: () => Promise<T>): Promise<T>;
}

export function createFreezer(engine: EngineClient, containers: OwnContainers): Freezer {
  /** How many hold a container, and the last change to it that was asked for. */
  const holds = new Map<string, { count: number; settled: Promise<void> }>();

  function hold(id: string): Promise<void> {
    const held = holds.get(id) ?? { count: 0, settled: Promise.resolve() };
    holds.set(id, held);
    held.count += 1;
    if (held.count === 1) held.settled = held.settled.catch(() => undefined).then(() => pause(id));
    return held.settled;
  }

  function release(id: string): Promise<void> {
    const held = holds.get(id);
    if (held === undefined) return Promise.resolve();
    held.count -= 1;
    if (held.count > 0) return Promise.resolve();
    held.settled = held.settled
      .catch(() => undefined)
      .then(() => thaw(engine, id))
      .finally(() => {
        if (held.count === 0) holds.delete(id);
      });
    return held.settled;
  }

  async function pause(id: string): Promise<void> {
    try {
      await engine.call({ method: 'POST', path: `/containers/${id}/pause` });
    } catch (error) {
      if (errorCodeOf(error) === 'unavailable') throw error;
      if (await canStillRun(id)) throw error;
    }
  }

  async function canStillRun(id: string): Promise<boolean> {
    try {
      const { State } = await containers.inspect(id);
      return State.Running && !State.Paused;
    } catch (error) {
      if (errorCodeOf(error) === 'not_found') return false;
      throw error;
    }
  }

  return {
    async whileFrozen(ids, work) {
      const frozen = await Promise.allSettled(ids.map(hold));
      try {
        const failed = frozen.find((one) => one.status === 'rejected');
        if (failed !== undefined) {
          const message = 'a container that could change what is mounted cannot be held still';
          throw new AppError('unavailable', message, { cause: failed.reason });
        }
        return await work();
      } finally {
        await Promise.allSettled(ids.map(release));
      }
    },
  };
}

/** Lets a container run on; one that ended, or runs, is fine. */
export async function thaw(engine: EngineClient, id: string): Promise<void> {
  try {
    await engine.call({ method: 'POST', path: `/containers/${id}/unpause` });
  } catch (error) {
    if (errorCodeOf(error) === 'unavailable') throw error;
  }
}
