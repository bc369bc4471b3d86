/**
 * Restrictions add up: a task, a team, a node and an agent may each demand a read-only step, each at its level, and none
 * can take back what another demands.
 */
import { READ_ONLY_LEVELS, type ReadOnlyLevel } from '../restriction-words.ts';

export const RESTRICTION_SOURCES = ['task', 'team', 'node', 'agent'] as const;
export type RestrictionSource = (typeof RESTRICTION_SOURCES)[number];

/** What one source says. A level without `readOnly` restricts nothing, but holds as soon as another source demands it. */
export interface Restriction {
  source: RestrictionSource;
  readOnly: boolean;
  level?: ReadOnlyLevel | undefined;
}

/** What holds: null for a step that may write. `by` names every source that demanded it, in a fixed order. */
export type EffectiveRestriction = { level: ReadOnlyLevel; by: RestrictionSource[] } | null;

/** The sum of all restrictions: read-only as soon as one says so, at the strictest level that any of them names. */
export function addRestrictions(restrictions: readonly Restriction[]): EffectiveRestriction {
  const demanding = restrictions.filter((restriction) => restriction.readOnly);
  if (demanding.length === 0) return null;
  const strictest = Math.max(
    0,
    ...restrictions.map(({ level }) => READ_ONLY_LEVELS.indexOf(level ?? 'reflex')),
  );
  const level = READ_ONLY_LEVELS[strictest] ?? 'noShell';
  const by = RESTRICTION_SOURCES.filter((source) => demanding.some((r) => r.source === source));
  return { level, by };
}
