/**
 * Which launchers live, by their own word: said again every few seconds, and forgotten when it was not. Nothing of it is
 * kept over a restart of the guard; instead every lease gets its whole life anew then, so that no launcher loses its
 * sandboxes because the guard was away.
 */
import { AppError } from '@sallyport/shared/errors';

const INSTANCE = /^[a-z0-9][a-z0-9-]{0,79}$/;
/** More launchers than work beside one engine; a bound against one that makes up names. */
const MAX_LEASES = 256;

export interface Leases {
  /** @throws AppError `bad_input` for what names no instance, `unavailable` when there are too many. */
  renew(instance: string): void;
  /** Whether what bears this lease is left alone. */
  isLive(instance: string | undefined): boolean;
}

/** `now` in milliseconds, from a clock that only goes forward. */
export function createLeases(lifeMs: number, now: () => number = () => performance.now()): Leases {
  const graceEnd = now() + lifeMs;
  const ends = new Map<string, number>();

  function forgetEnded(): void {
    for (const [instance, end] of ends) if (end <= now()) ends.delete(instance);
  }
  return {
    renew(instance) {
      if (!INSTANCE.test(instance)) {
        throw new AppError('bad_input', 'a lease is named by a-z, 0-9 and "-", at most 80');
      }
      forgetEnded();
      if (!ends.has(instance) && ends.size >= MAX_LEASES) {
        throw new AppError('unavailable', `${MAX_LEASES} launchers hold leases already`);
      }
      ends.set(instance, now() + lifeMs);
    },
    isLive(instance) {
      if (instance === undefined || !INSTANCE.test(instance)) return false;
      return (ends.get(instance) ?? graceEnd) > now();
    },
  };
}
