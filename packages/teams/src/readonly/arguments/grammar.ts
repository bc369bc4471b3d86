/**
 * How an agent CLI reads its command line: which flags it has, which of them take values, and the habits of the parser
 * that it is built with. Without this nobody can tell a flag from the value of another one that only looks like it.
 */

/**
 * `commander`: a flag with a value takes the next argument whatever it looks like. `clap`: it takes none that begins with
 * a dash, `-sVALUE` and `-s=VALUE` are values, a repeated flag is an error. `yargs`: `--some-flag` may be written
 * `--someFlag`, a flag that stands for true may be followed by `true` or `false`, a repeated value makes a list.
 */
export type ParserStyle = 'commander' | 'clap' | 'yargs';

/** How many arguments a flag takes: `many` takes at least one, and all up to the next dash; `maybe` may go without. */
export type Takes = 'nothing' | 'one' | 'many' | 'maybe_one' | 'maybe_many';

export interface FlagSpec {
  /** Every spelling of this one flag, with its dashes. */
  readonly names: readonly string[];
  readonly takes: Takes;
}

export interface Grammar {
  readonly style: ParserStyle;
  readonly flags: readonly FlagSpec[];
}

/** Flags of one kind from a text such as `--model -m, --cwd`: spellings by spaces, flags by commas. */
export function flagsTaking(takes: Takes, text: string): FlagSpec[] {
  return text
    .split(',')
    .map((names) => ({ names: names.trim().split(/\s+/), takes }))
    .filter(({ names }) => names[0] !== '');
}

/** The flag with this spelling, or undefined when the CLI is not known to have it. */
export function findFlag(grammar: Grammar, spelling: string): FlagSpec | undefined {
  const wanted = canonical(grammar.style, spelling);
  return grammar.flags.find((flag) =>
    flag.names.some((name) => canonical(grammar.style, name) === wanted),
  );
}

function canonical(style: ParserStyle, spelling: string): string {
  if (style !== 'yargs' || !spelling.startsWith('--')) return spelling;
  return spelling.replace(/(?<=[a-z0-9])[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
