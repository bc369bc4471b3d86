/** Work that is done now and then every so often, never twice at once. A failure is logged and the next turn tries again. */
import type { Logger } from './log.ts';

export interface Periodic {
  /** Runs the work now and then every `ms`. */
  readonly every: (name: string, ms: number, work: () => Promise<void>) => void;
  /** No turn begins any more. */
  end(): void;
  /** Settles when the turns that had begun are over. */
  settled(): Promise<void>;
}

export function createPeriodic(log: Logger): Periodic {
  const timers: NodeJS.Timeout[] = [];
  const turns = new Set<Promise<void>>();
  let ended = false;
  return {
    every(name, ms, work) {
      let busy = false;
      function tick(): void {
        if (busy || ended) return;
        busy = true;
        const turn = work()
          .catch((error: unknown) => log.warn({ err: error, name }, 'periodic work failed'))
          .finally(() => {
            busy = false;
            turns.delete(turn);
          });
        turns.add(turn);
      }
      timers.push(setInterval(tick, ms));
      tick();
    },
    end() {
      ended = true;
      for (const timer of timers) clearInterval(timer);
    },
    async settled() {
      await Promise.allSettled(turns);
    },
  };
}
