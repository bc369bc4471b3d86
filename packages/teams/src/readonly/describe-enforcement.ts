/**
 * What keeps an agent CLI from writing at a level, for whoever has no step to plan: the console's form and its API. The
 * words are those of the timeline and of `team show`.
 */
import type { ReadOnlyLevel } from '../restriction-words.ts';
import type { Enforcer } from './adapter.ts';
import { findAdapter } from './adapters.ts';
import { enforcementSentence } from './enforcement-sentence.ts';
import { LEFT_BY_UNKNOWN_CLI } from './plan-step.ts';
import { isVerified, newestVerified } from './verification.ts';

export interface Enforcement {
  cli: string;
  level: ReadOnlyLevel;
  /** The version that the sentence is about; null for a CLI without an adapter. */
  version: string | null;
  enforcedBy: Enforcer;
  verified: boolean;
  sentence: string;
  /** What the CLI lets through; the mount stops it. */
  leavesOpen: readonly string[];
}

/** Without a version it is about the newest one that the CLI's adapter was verified on. */
export function describeEnforcement(
  cli: string,
  level: ReadOnlyLevel,
  given?: string,
): Enforcement {
  const adapter = findAdapter(cli);
  const version = adapter === undefined ? undefined : (given ?? newestVerified(adapter));
  const verified = adapter !== undefined && isVerified(adapter, version, level);
  return {
    cli,
    level,
    version: version ?? null,
    enforcedBy: adapter?.enforcedBy ?? 'written_rule',
    verified,
    sentence: enforcementSentence({ cli, adapter, level, version, verified }),
    leavesOpen: adapter?.levels[level].leavesOpen ?? LEFT_BY_UNKNOWN_CLI,
  };
}
