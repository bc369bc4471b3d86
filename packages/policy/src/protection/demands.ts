/**
 * The terms in which both layers of GitHub's branch protection are read. The layers add up: a push or merge must satisfy
 * both, so what one demands the other cannot take back. A demand from which our own App is exempt is no demand.
 */

/** What a layer demands of our App. */
export interface Demands {
  reviews: number;
  dismissesStale: boolean;
  codeOwners: boolean;
  lastPush: boolean;
  blocksForcePush: boolean;
  blocksDeletion: boolean;
  /** Required checks; `pinned` when each may be reported by one App alone. */
  checks: { count: number; pinned: boolean };
}

export type Layer =
  | { kind: 'read'; demands: Demands; bypassableBy: string | null; notes: string[] }
  /** A known bypass is kept even when the rest is not known. */
  | { kind: 'unknown'; why: string; bypassableBy: string | null };

export const NO_DEMANDS: Demands = {
  reviews: 0,
  dismissesStale: false,
  codeOwners: false,
  lastPush: false,
  blocksForcePush: false,
  blocksDeletion: false,
  checks: { count: 0, pinned: true },
};

/** Both layers' demands together. */
export function addDemands(one: Demands, other: Demands): Demands {
  return {
    reviews: Math.max(one.reviews, other.reviews),
    dismissesStale: one.dismissesStale || other.dismissesStale,
    codeOwners: one.codeOwners || other.codeOwners,
    lastPush: one.lastPush || other.lastPush,
    blocksForcePush: one.blocksForcePush || other.blocksForcePush,
    blocksDeletion: one.blocksDeletion || other.blocksDeletion,
    checks: mergeChecks(one.checks, other.checks),
  };
}

type Checks = Demands['checks'];

/** A pinned set is enough by itself: a forged status in another set cannot stand for it. */
function mergeChecks(one: Checks, other: Checks): Checks {
  const solid = [one, other].filter(({ count, pinned }) => count > 0 && pinned);
  if (solid.length > 0) return { count: sumCounts(solid), pinned: true };
  const count = one.count + other.count;
  return { count, pinned: count === 0 };
}

function sumCounts(checks: readonly Checks[]): number {
  return checks.reduce((total, { count }) => total + count, 0);
}

/** Whether the id names one App. GitHub writes null, and in places -1, for "any source", which any writer can be. */
export function isApp(id: number | null | undefined): boolean {
  return typeof id === 'number' && id > 0;
}
