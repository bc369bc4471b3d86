/**
 * Whether a level of an adapter was seen to hold in this very version of its CLI. CLIs change weekly, so a version that
 * nobody ran, or that nobody knows, is unverified until the self-test has passed on it.
 */
import type { ReadOnlyLevel } from '../restriction-words.ts';
import type { Adapter } from './adapter.ts';

/** A passed self-test on this deployment. */
export interface PassedSelfTest {
  cli: string;
  version: string;
  level: ReadOnlyLevel;
}

/** Whether the level was seen to refuse everything that it claims, in this version. */
export function isVerified(
  adapter: Adapter,
  version: string | undefined,
  level: ReadOnlyLevel,
  selfTests: readonly PassedSelfTest[] = [],
): boolean {
  if (version === undefined) return false;
  return (
    adapter.verified.some((v) => v.version === version && v.levels.includes(level)) ||
    selfTests.some((t) => t.cli === adapter.cli && t.version === version && t.level === level)
  );
}

/** The newest version that the adapter was verified on, whatever the level. */
export function newestVerified(adapter: Adapter): string | undefined {
  return adapter.verified.at(-1)?.version;
}
