/** Rows as aligned columns for a terminal. Text from outside is stripped of control characters: a title is no command. */

/** One line per row below a line of headings. */
export function table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const cells = [headings, ...rows].map((row) => row.map(printable));
  const widths = headings.map((_, i) => Math.max(...cells.map((row) => (row[i] ?? '').length)));
  return cells
    .map((row) =>
      row
        .map((cell, i) => cell.padEnd(widths[i] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** The text on one line, without characters that a terminal would obey. */
export function printable(text: string): string {
  // eslint-disable-next-line no-control-regex -- these are what must not reach a terminal
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, ' ');
}
