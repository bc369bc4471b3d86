/**
 * Our own added and removed lines. The counts of a diff tool obey attributes that the change itself carries, so they are
 * no evidence. The work is bounded: past the bound a stretch counts as wholly removed and added, never as unchanged.
 */
import { findAnchors } from './line-anchors.ts';
import { myers } from './line-myers.ts';
import type { Region, WorkBudget } from './line-myers.ts';

const STEPS_FLOOR = 1_000_000;
const STEPS_PER_LINE = 20;

export interface NumberedLine {
  /** From 1, in the side that the line belongs to. */
  line: number;
  text: string;
}

export interface LineDiff {
  added: NumberedLine[];
  removed: NumberedLine[];
  /** False when the bound was met and some lines count as changed though they may not be. */
  exact: boolean;
}

/** Splits at LF; a last line without LF counts, an empty one after the last LF does not. */
export function splitLines(text: string): string[] {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

/** The lines that are only in one side, in order. */
export function diffLines(oldText: string, newText: string): LineDiff {
  const oldLines = splitLines(oldText);
  const newLines = splitLines(newText);
  const { a, b } = intern(oldLines, newLines);
  const keptOld = new Uint8Array(a.length);
  const keptNew = new Uint8Array(b.length);
  const keep = (i: number, j: number): void => {
    keptOld[i] = 1;
    keptNew[j] = 1;
  };
  const budget: WorkBudget = {
    edits: STEPS_FLOOR + STEPS_PER_LINE * (a.length + b.length),
    anchors: STEPS_FLOOR + STEPS_PER_LINE * (a.length + b.length),
  };
  let exact = true;
  const pending: Region[] = [{ a, b, aFrom: 0, aTo: a.length, bFrom: 0, bTo: b.length }];
  for (let region = pending.pop(); region !== undefined; region = pending.pop()) {
    const middle = trimEnds(region, keep);
    if (middle.aFrom === middle.aTo || middle.bFrom === middle.bTo) continue;
    if (myers(middle, budget, keep)) continue;
    const anchors = findAnchors(middle, budget);
    if (anchors.length === 0) exact = false;
    // Not spread: a call takes fewer arguments than a file has lines.
    else for (const part of splitAt(middle, anchors, keep)) pending.push(part);
  }
  return {
    added: newLines.flatMap((text, at) => (keptNew[at] === 1 ? [] : [{ line: at + 1, text }])),
    removed: oldLines.flatMap((text, at) => (keptOld[at] === 1 ? [] : [{ line: at + 1, text }])),
    exact,
  };
}

type Keep = (i: number, j: number) => void;

function intern(oldLines: string[], newLines: string[]): { a: Int32Array; b: Int32Array } {
  const ids = new Map<string, number>();
  const idOf = (line: string): number => {
    const known = ids.get(line);
    if (known !== undefined) return known;
    ids.set(line, ids.size);
    return ids.size - 1;
  };
  return { a: Int32Array.from(oldLines, idOf), b: Int32Array.from(newLines, idOf) };
}

function trimEnds(region: Region, keep: Keep): Region {
  const { a, b } = region;
  let { aFrom, aTo, bFrom, bTo } = region;
  while (aFrom < aTo && bFrom < bTo && a[aFrom] === b[bFrom]) keep(aFrom++, bFrom++);
  while (aFrom < aTo && bFrom < bTo && a[aTo - 1] === b[bTo - 1]) keep(--aTo, --bTo);
  return { a, b, aFrom, aTo, bFrom, bTo };
}

function splitAt(region: Region, anchors: readonly [number, number][], keep: Keep): Region[] {
  const parts: Region[] = [];
  let { aFrom, bFrom } = region;
  for (const [i, j] of anchors) {
    keep(i, j);
    parts.push({ ...region, aFrom, aTo: i, bFrom, bTo: j });
    aFrom = i + 1;
    bFrom = j + 1;
  }
  parts.push({ ...region, aFrom, bFrom });
  return parts;
}
