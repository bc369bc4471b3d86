/**
 * Cuts an argument list into flags with their values, words and what follows `--`, in the way that the CLI itself would.
 * Each piece keeps the arguments that it was made of, so whatever is not changed comes out exactly as it went in.
 *
 * A flag that the grammar does not know is kept, and is taken to have no value: what follows it and is spelled like a flag
 * of ours counts as that flag. So an unknown flag can never hide one that loosens a step.
 */
import { AppError } from '@sallyport/shared/errors';
import { findFlag, type FlagSpec, type Grammar } from './grammar.ts';

export interface FlagPiece {
  kind: 'flag';
  flag: FlagSpec;
  /** As it was spelled, without a joined value. */
  name: string;
  values: readonly string[];
  /** What it is written as when it must stand alone. */
  tokens: readonly string[];
  /** The cluster of short flags that it was part of, such as `-dy`; shared by all of its pieces. */
  cluster?: { readonly tokens: readonly string[] };
}
export type Piece =
  | FlagPiece
  | { kind: 'unknown_flag' | 'word'; tokens: readonly string[]; joined?: boolean };

export interface ParsedArguments {
  pieces: readonly Piece[];
  /** `--` and what follows it: never read as flags by any of these CLIs. */
  rest: readonly string[];
}

/**
 * Parses the arguments that follow the program's name.
 * @throws AppError `bad_input` when a flag stands without its value: it would take the next flag for it, which may be ours.
 */
export function parseArguments(grammar: Grammar, args: readonly string[]): ParsedArguments {
  const pieces: Piece[] = [];
  let at = 0;
  while (at < args.length) {
    const token = args[at] ?? '';
    if (token === '--') break;
    at += 1;
    if (!looksLikeFlag(token)) {
      pieces.push({ kind: 'word', tokens: [token] });
      continue;
    }
    const read = token.startsWith('--') ? readLong(grammar, token) : readShort(grammar, token);
    const last = read?.at(-1);
    if (read === undefined || last === undefined) {
      pieces.push({ kind: 'unknown_flag', tokens: [token], joined: token.includes('=') });
      continue;
    }
    if (last.values.length === 0) {
      const values = takeValues(grammar, last.flag, args.slice(at));
      at += values.length;
      requireValue(grammar, last, values);
      const tokens = [...last.tokens, ...values];
      const cluster =
        last.cluster === undefined ? undefined : { tokens: [...last.cluster.tokens, ...values] };
      read[read.length - 1] = { ...last, values, tokens };
      if (cluster !== undefined)
        for (const [i, piece] of read.entries()) read[i] = { ...piece, cluster };
    }
    pieces.push(...read);
  }
  return { pieces, rest: args.slice(at) };
}

/** The arguments again. Of a cluster that lost a member the others stand alone. */
export function writeArguments(pieces: readonly Piece[], original: readonly Piece[]): string[] {
  const whole = new Set<unknown>();
  for (const piece of original) {
    if (piece.kind !== 'flag' || piece.cluster === undefined) continue;
    const members = original.filter((p) => p.kind === 'flag' && p.cluster === piece.cluster);
    if (members.every((member) => pieces.includes(member))) whole.add(piece.cluster);
  }
  const written = new Set<unknown>();
  return pieces.flatMap((piece) => {
    if (piece.kind !== 'flag' || piece.cluster === undefined || !whole.has(piece.cluster)) {
      return piece.tokens;
    }
    if (written.has(piece.cluster)) return [];
    written.add(piece.cluster);
    return piece.cluster.tokens;
  });
}

function readLong(grammar: Grammar, token: string): FlagPiece[] | undefined {
  const split = token.indexOf('=');
  const name = split === -1 ? token : token.slice(0, split);
  const flag = findFlag(grammar, name);
  if (flag === undefined) return undefined;
  const values = split === -1 ? [] : [token.slice(split + 1)];
  return [{ kind: 'flag', flag, name, values, tokens: [token] }];
}

/** `-s`, `-sVALUE`, `-s=VALUE`, or a cluster of flags of which the last may take a value. */
function readShort(grammar: Grammar, token: string): FlagPiece[] | undefined {
  const found: FlagPiece[] = [];
  for (let i = 1; i < token.length; i += 1) {
    const name = `-${token[i] ?? ''}`;
    const flag = findFlag(grammar, name);
    if (flag === undefined) return undefined;
    const tail = token.slice(i + 1);
    const joins = grammar.style === 'yargs' ? tail.startsWith('=') : tail !== '';
    if ((flag.takes !== 'nothing' && joins) || tail.startsWith('=')) {
      const value = tail.replace(grammar.style === 'commander' ? /^/ : /^=/, '');
      found.push({ kind: 'flag', flag, name, values: [value], tokens: [`${name}${tail}`] });
      break;
    }
    found.push({ kind: 'flag', flag, name, values: [], tokens: [name] });
  }
  if (found.length <= 1) return found.length === 0 ? undefined : found;
  const cluster = { tokens: [token] };
  return found.map((piece) => ({ ...piece, cluster }));
}

function takeValues(grammar: Grammar, flag: FlagSpec, rest: readonly string[]): string[] {
  const [next] = rest;
  if (next === undefined) return [];
  switch (flag.takes) {
    case 'nothing':
      return grammar.style === 'yargs' && /^(?:true|false)$/.test(next) ? [next] : [];
    case 'one':
      return takesAsValue(grammar, next) ? [next] : [];
    case 'maybe_one':
      return looksLikeFlag(next) ? [] : [next];
    case 'many':
    case 'maybe_many': {
      const first = flag.takes === 'many' && takesAsValue(grammar, next) ? [next] : [];
      const more = rest.slice(first.length);
      const end = more.findIndex((token) => looksLikeFlag(token));
      return [...first, ...(end === -1 ? more : more.slice(0, end))];
    }
  }
}

function takesAsValue(grammar: Grammar, token: string): boolean {
  if (token === '--') return false;
  return grammar.style === 'commander' || !looksLikeFlag(token);
}

/** `-` alone is a word: standard input. */
function looksLikeFlag(token: string): boolean {
  return token.length > 1 && token.startsWith('-');
}

function requireValue(grammar: Grammar, piece: FlagPiece, values: readonly string[]): void {
  const { takes } = piece.flag;
  if (values.length > 0 || (takes !== 'one' && takes !== 'many') || grammar.style === 'yargs')
    return;
  throw new AppError(
    'bad_input',
    `the argument ${piece.name} stands without its value; write ${piece.name}=VALUE or remove it`,
  );
}
