/**
 * Bounds how often a wrong token may be tried: per address, and in all. The token is too long to be guessed; this keeps
 * a guesser from filling log and processor, and its own memory is bounded too.
 */
import { isIPv6 } from 'node:net';

const WINDOW_MS = 60_000;
const MAX_ADDRESSES = 1000;

export interface AttemptLimits {
  perAddress: number;
  overall: number;
}
export const ATTEMPT_LIMITS: AttemptLimits = { perAddress: 10, overall: 100 };

export interface AttemptLimit {
  /** Whether this address may try now. */
  mayTry(address: string): boolean;
  countFailure(address: string): void;
}

export function createAttemptLimit(now: () => number, limits = ATTEMPT_LIMITS): AttemptLimit {
  const failures = new Map<string, number>();
  let overall = 0;
  let windowEnds = 0;

  function renewWindow(): void {
    if (now() < windowEnds) return;
    windowEnds = now() + WINDOW_MS;
    failures.clear();
    overall = 0;
  }

  return {
    mayTry(address) {
      renewWindow();
      return overall < limits.overall && (failures.get(network(address)) ?? 0) < limits.perAddress;
    },
    countFailure(address) {
      renewWindow();
      overall += 1;
      const key = network(address);
      if (failures.has(key) || failures.size < MAX_ADDRESSES)
        failures.set(key, (failures.get(key) ?? 0) + 1);
    },
  };
}

/** One customer holds a whole /64 of IPv6 addresses; an IPv4 address in IPv6 clothes counts as itself. */
function network(address: string): string {
  const mapped = /^::ffff:([0-9.]+)$/i.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  if (!isIPv6(address)) return address;
  const [head = '', tail] = address.split('::');
  const groups = head.split(':').filter((group) => group !== '');
  const missing =
    tail === undefined ? 0 : 8 - groups.length - tail.split(':').filter(Boolean).length;
  return [...groups, ...Array<string>(missing).fill('0')].slice(0, 4).join(':');
}
