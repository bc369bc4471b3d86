/**
 * Myers' shortest edit over interned lines, with two bounds: the number of edits (the trace grows with its square) and a
 * budget of steps for the whole file. A hostile file can only make itself count as more changed.
 */

const MAX_EDITS = 1_000;
const STEPS_PER_CALL = 400_000;
const STEPS_PER_LINE_AND_CALL = 4;

export interface Region {
  a: Int32Array;
  b: Int32Array;
  aFrom: number;
  aTo: number;
  bFrom: number;
  bTo: number;
}

/** Steps left for one file. Two accounts, so that a failed comparison still leaves enough to cut the stretch smaller. */
export interface WorkBudget {
  edits: number;
  anchors: number;
}

/**
 * Marks the lines common to both sides of the region through `keep`. Answers false, having marked nothing, when a bound
 * was met.
 */
export function myers(
  region: Region,
  budget: WorkBudget,
  keep: (i: number, j: number) => void,
): boolean {
  const { a, b, aFrom, bFrom } = region;
  const n = region.aTo - aFrom;
  const m = region.bTo - bFrom;
  if (n === 1 && m === 1 && a[aFrom] !== b[bFrom]) return true;
  const maxEdits = Math.min(n + m, MAX_EDITS);
  const offset = maxEdits + 1;
  const furthest = new Int32Array(2 * maxEdits + 3);
  const trace: Int32Array[] = [];
  let left = Math.min(budget.edits, STEPS_PER_CALL + STEPS_PER_LINE_AND_CALL * (n + m));
  const spend = (steps: number): boolean => {
    left -= steps;
    budget.edits -= steps;
    return left > 0;
  };
  for (let d = 0; d <= maxEdits; d++) {
    trace.push(furthest.slice(offset - d - 1, offset + d + 2));
    for (let k = -d; k <= d; k += 2) {
      const behind = furthest[offset + k - 1] ?? 0;
      const above = furthest[offset + k + 1] ?? 0;
      let x = k === -d || (k !== d && behind < above) ? above : behind + 1;
      const start = x;
      while (x < n && x - k < m && a[aFrom + x] === b[bFrom + x - k]) x++;
      if (!spend(x - start + 1)) return false;
      furthest[offset + k] = x;
      if (x >= n && x - k >= m) {
        walkBack(region, trace, d, keep);
        return true;
      }
    }
  }
  return false;
}

function walkBack(
  region: Region,
  trace: readonly Int32Array[],
  edits: number,
  keep: (i: number, j: number) => void,
): void {
  let x = region.aTo - region.aFrom;
  let y = region.bTo - region.bFrom;
  for (let d = edits; d >= 0; d--) {
    const row = trace[d] ?? new Int32Array(0);
    const at = (k: number): number => row[k + d + 1] ?? 0;
    const k = x - y;
    const down = k === -d || (k !== d && at(k - 1) < at(k + 1));
    const fromK = down ? k + 1 : k - 1;
    const fromX = d === 0 ? 0 : at(fromK);
    const fromY = d === 0 ? 0 : fromX - fromK;
    while (x > fromX && y > fromY) keep(region.aFrom + --x, region.bFrom + --y);
    x = fromX;
    y = fromY;
  }
}
