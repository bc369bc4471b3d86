/**
 * Lets many wait for their own row over the one listener of the process. A nudge only shortens the wait: whoever waits
 * looks again after a while in any case.
 */
import type { Listener, Topic } from '@sallyport/shared/db/listen';

export interface Nudges {
  /** Resolves at a nudge for this id, after `ms`, or when the signal is aborted, whichever is first. Never rejects. */
  wait(id: string, ms: number, signal: AbortSignal): Promise<void>;
}

export function createNudges(listener: Listener, topic: Topic): Nudges {
  const waiting = new Map<string, Set<() => void>>();

  // An empty payload follows a reconnect: whatever was sent meanwhile is lost, so everybody looks.
  listener.on(topic, (payload) => {
    const woken = payload === '' ? [...waiting.values()] : [waiting.get(payload) ?? new Set()];
    for (const wake of woken.flatMap((set) => [...set])) wake();
  });

  return {
    wait(id, ms, signal) {
      return new Promise((resolve) => {
        const wakers = waiting.get(id) ?? new Set<() => void>();
        function wake(): void {
          clearTimeout(timer);
          signal.removeEventListener('abort', wake);
          wakers.delete(wake);
          if (wakers.size === 0) waiting.delete(id);
          resolve();
        }
        const timer = setTimeout(wake, ms);
        waiting.set(id, wakers.add(wake));
        signal.addEventListener('abort', wake, { once: true });
        if (signal.aborted) wake();
      });
    },
  };
}
