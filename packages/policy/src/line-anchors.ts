/**
 * Patience anchors: lines that occur once in each side, in an order common to both. They cut a stretch that is too
 * different to compare whole into small ones, so that a large honest edit is not counted as a rewrite.
 */
import type { Region, WorkBudget } from './line-myers.ts';

/** Pairs (old index, new index), rising in both; empty when no line is unique to both sides or the budget is spent. */
export function findAnchors(region: Region, budget: WorkBudget): [number, number][] {
  const { a, b, aFrom, aTo, bFrom, bTo } = region;
  budget.anchors -= aTo - aFrom + bTo - bFrom;
  if (budget.anchors <= 0) return [];
  const seen = new Map<number, { inA: number; inB: number; i: number; j: number }>();
  for (let i = aFrom; i < aTo; i++) {
    const id = a[i] ?? -1;
    const entry = seen.get(id);
    if (entry === undefined) seen.set(id, { inA: 1, inB: 0, i, j: -1 });
    else entry.inA++;
  }
  for (let j = bFrom; j < bTo; j++) {
    const entry = seen.get(b[j] ?? -1);
    if (entry === undefined) continue;
    entry.inB++;
    entry.j = j;
  }
  const unique: [number, number][] = [];
  for (const entry of seen.values()) {
    if (entry.inA === 1 && entry.inB === 1) unique.push([entry.i, entry.j]);
  }
  return longestRising(unique);
}

/** The longest subsequence of pairs, ordered by their first, whose second rises (n log n). */
function longestRising(pairs: readonly [number, number][]): [number, number][] {
  const tops: number[] = [];
  const before = new Int32Array(pairs.length).fill(-1);
  for (const [at, [, j]] of pairs.entries()) {
    let low = 0;
    let high = tops.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const top = pairs[tops[middle] ?? 0];
      if (top !== undefined && top[1] < j) low = middle + 1;
      else high = middle;
    }
    before[at] = low === 0 ? -1 : (tops[low - 1] ?? -1);
    tops[low] = at;
  }
  const chain: [number, number][] = [];
  for (let at = tops.at(-1) ?? -1; at >= 0; at = before[at] ?? -1) {
    const pair = pairs[at];
    if (pair !== undefined) chain.push(pair);
  }
  return chain.toReversed();
}
