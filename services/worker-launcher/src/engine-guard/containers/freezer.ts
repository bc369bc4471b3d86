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
  /**
   * Runs work that would make a frozen container run on, once nobody holds it, and lets nobody hold it meanwhile: an engine
   * resumes what it sends a signal to.
   */
  whileLoose<T>(id: string, work: () => Promise<T>): Promise<T>;
}

interface Hold {
  /** How many hold it. */
  count: number;
  /** The last change to it that was asked for; each waits for the one before. */
  settled: Promise<unknown>;
  /** How many wait for its end or work on it. */
  visitors: number;
}

export function createFreezer(
  engine: EngineClient,
  containers: Pick<OwnContainers, 'inspect'>,
): Freezer {
  const holds = new Map<string, Hold>();

  function holdOf(id: string): Hold {
    const known = holds.get(id) ?? { count: 0, settled: Promise.resolve(), visitors: 0 };
    holds.set(id, known);
    return known;
  }

  /** Chains the act, and forgets the container once there is nothing more to remember. */
  function next<T>(id: string, act: () => Promise<T>): Promise<T> {
    const hold = holdOf(id);
    const done = hold.settled.then(act, act);
    const settled = done
      .catch(() => undefined)
      .then(() => {
        if (hold.settled === settled && hold.count === 0 && hold.visitors === 0) holds.delete(id);
      });
    hold.settled = settled;
    return done;
  }

  const paused = new Map<string, Promise<void>>();

  function take(id: string): Promise<void> {
    const hold = holdOf(id);
    hold.count += 1;
    if (hold.count === 1)
      paused.set(
        id,
        next(id, () => pause(id)),
      );
    return paused.get(id) ?? Promise.resolve();
  }

  async function release(id: string): Promise<void> {
    const hold = holdOf(id);
    hold.count -= 1;
    if (hold.count > 0) return;
    paused.delete(id);
    await next(id, () => thaw(engine, id));
  }

  async function pause(id: string): Promise<void> {
    try {
      await engine.call({ method: 'POST', path: `/containers/${id}/pause` });
    } catch (error) {
      if (errorCodeOf(error) === 'unavailable' || (await canStillRun(id))) throw error;
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
      const frozen = await Promise.allSettled(ids.map(take));
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
    async whileLoose(id, work) {
      const hold = holdOf(id);
      hold.visitors += 1;
      try {
        while (hold.count > 0) await rested(hold);
        return await next(id, work);
      } finally {
        hold.visitors -= 1;
        if (hold.visitors === 0 && hold.count === 0) await next(id, () => Promise.resolve());
      }
    },
  };
}

const LOOK_AGAIN_MS = 20;

async function rested(hold: Hold): Promise<void> {
  await hold.settled;
  await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
}

/** Lets a container run on; one that ended, or runs, is fine. */
export async function thaw(engine: Pick<EngineClient, 'call'>, id: string): Promise<void> {
  try {
    await engine.call({ method: 'POST', path: `/containers/${id}/unpause` });
  } catch (error) {
    if (errorCodeOf(error) === 'unavailable') throw error;
  }
}
