/** Samples of a benchmark with the figures that one looks at first; the raw values stay with them. */

export interface Summary {
  medianMs: number;
  p95Ms: number;
  samplesMs: number[];
}

/** What a benchmark prints. */
export interface BenchResult {
  bench: string;
  unit: 'ms';
  samples: number;
  files?: number;
  /** How many times the cost of each peer ours is, by medians. */
  ratios: Record<string, number>;
  ours: Record<string, Summary | Record<string, number>>;
  peers: Record<string, Summary>;
}

/** Rounded to tenths of a millisecond. @throws RangeError without samples. */
export function summarise(samples: readonly number[]): Summary {
  const sorted = samples.toSorted((a, b) => a - b);
  const at = (share: number): number => {
    const value = sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))];
    if (value === undefined) throw new RangeError('a summary needs samples');
    return round(value);
  };
  const middle = sorted.length / 2;
  const median =
    sorted.length % 2 === 1
      ? at(0.5)
      : round(((sorted[middle - 1] ?? 0) + (sorted[middle] ?? 0)) / 2);
  return { medianMs: median, p95Ms: at(0.95), samplesMs: samples.map(round) };
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
