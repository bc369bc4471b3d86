/** Guesses what a mistyped name in a team file was meant to be, so that a problem can say how it is mended. */

/** The known name that is nearest to `name`, when it is near enough that somebody may have meant it. */
export function nearestName(name: string, known: Iterable<string>): string | undefined {
  const limit = Math.min(3, Math.floor(name.length / 2));
  let best: { name: string; distance: number } | undefined;
  for (const candidate of known) {
    const distance = distanceBetween(name.toLowerCase(), candidate.toLowerCase());
    if (distance <= limit && (best === undefined || distance < best.distance)) {
      best = { name: candidate, distance };
    }
  }
  return best?.name;
}

function distanceBetween(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 0; i < a.length; i += 1) {
    const next = [i + 1];
    for (let j = 1; j <= b.length; j += 1) {
      const change = (row[j - 1] ?? 0) + (b[j - 1] === a[i] ? 0 : 1);
      next.push(Math.min(change, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
