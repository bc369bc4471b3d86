/** Decides which running containers could change a directory while it is being mounted for another. */
import { isBelow, scopeOf } from '../workspace/names.ts';
import type { Lent } from './container-labels.ts';

/** The ids of those that are held still while a container with these directories starts. */
export function chooseFrozen(
  starting: Lent,
  running: readonly { id: string; lent: Lent }[],
): string[] {
  return running
    .filter(({ lent }) => lent.writes.some((written) => canChange(written, starting)))
    .map(({ id }) => id);
}

function canChange(written: string, { reads, writes, holding }: Lent): boolean {
  return (
    [...reads, ...writes].some((name) => isBelow(name, written)) ||
    // Into these a place for another mount is made, along a path of which anything written there is a part.
    holding.some((name) => name === written || isBelow(written, name))
  );
}

/** What is locked while they are mounted, always in the same order. */
export function scopesOf({ reads, writes }: Lent): string[] {
  return [...new Set([...reads, ...writes].map(scopeOf))].toSorted();
}
