/** Lets a test write argument lists as one line: arguments by spaces, `~` for a space within one. */
import { findAdapter } from '../adapters.ts';
import { applyReadOnly, type AppliedArguments, type ArgumentsInput } from '../apply-read-only.ts';

/** What the list is, what was saved, what is left of it, and the mode that is asked for. */
export type Row = [what: string, saved: string, left: string, autonomous?: true | string];

/** The arguments that a line stands for. */
export function words(line: string): string[] {
  return line
    .split(' ')
    .filter((word) => word !== '')
    .map((word) => word.replaceAll('~', ' '));
}

/** What becomes of saved arguments, without the shell unless `over` says otherwise. */
export function applyTo(
  cli: string,
  saved: string,
  over: Partial<ArgumentsInput> = {},
): AppliedArguments {
  const adapter = findAdapter(cli);
  if (adapter === undefined) throw new Error(`no adapter ${cli}`);
  return applyReadOnly({
    adapter,
    command: [],
    savedArgs: words(saved),
    level: 'noShell',
    ...over,
  });
}

/** A line of what is left with the place of ours, `…`, filled; ours come last where it is not marked. */
export function withOurs(left: string, ours: string): string[] {
  return words(left.includes('…') ? left.replace('…', ours) : `${left} ${ours}`);
}
