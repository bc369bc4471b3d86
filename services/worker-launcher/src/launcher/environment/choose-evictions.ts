/** Decides which environments go: what nobody used for too long, then the least recently used until the rest has room. */
import type { CacheBounds } from './read-environments.ts';

export interface KeptEnvironment {
  name: string;
  bytes: number;
  usedAtMs: number;
}

/** The names of those that go, the least recently used first. One alone that is larger than the bound goes as well. */
export function chooseEvictions(
  kept: readonly KeptEnvironment[],
  bounds: CacheBounds,
  nowMs: number,
): string[] {
  const oldestFirst = kept.toSorted((a, b) => a.usedAtMs - b.usedAtMs);
  let bytes = kept.reduce((sum, environment) => sum + environment.bytes, 0);
  const gone: string[] = [];
  for (const environment of oldestFirst) {
    const isOld = nowMs - environment.usedAtMs > bounds.maxAgeMs;
    if (!isOld && bytes <= bounds.maxBytes) break;
    gone.push(environment.name);
    bytes -= environment.bytes;
  }
  return gone;
}
