/**
 * Builds the command line of an agent: what the operator and the team saved, then the model, the autonomous mode, the
 * hardening, and last the read-only rule, so that it wins. What would undo the rule is taken out in every spelling; all
 * else stays as it was, byte for byte. Doing it twice changes nothing.
 */
import { AppError } from '@sallyport/shared/errors';
import type { ReadOnlyLevel } from '../restriction-words.ts';
import type { Adapter, AdapterFile, Addition, EnvironmentChange, Removal } from './adapter.ts';
import { findFlag, type FlagSpec } from './arguments/grammar.ts';
import {
  parseArguments,
  writeArguments,
  type FlagPiece,
  type Piece,
} from './arguments/parse-arguments.ts';
import { autonomyOf } from './choose-autonomy.ts';

export interface ArgumentsInput {
  adapter: Adapter;
  /** The program and the arguments that belong to it; empty to get arguments alone. */
  command: readonly string[];
  savedArgs?: readonly string[];
  model?: string | undefined;
  /** True for the usual mode, or the name of one. False and absent leave the saved arguments as they are. */
  autonomous?: boolean | string | undefined;
  /** Null for a step that may write: then only the hardening is applied. */
  level: ReadOnlyLevel | null;
  /** The environment that the agent would get; values of it may have to be joined with ours. */
  env?: Readonly<Record<string, string>>;
  /** Where inside the sandbox the files of the rule will lie. */
  filesDirectory?: string;
}

export interface AppliedArguments {
  argv: string[];
  /** Variables to set, and to take away before that. */
  env: EnvironmentChange;
  /** To be made readable, and not writable, at these paths before the agent starts. */
  files: readonly AdapterFile[];
  /** The arguments that were taken out because they contradict what is applied, for the timeline. */
  removed: readonly string[];
}

export const DEFAULT_FILES_DIRECTORY = '/in/read-only';

/**
 * The effective command line, environment and files.
 * @throws AppError `bad_input` for an unknown mode, an argument without its value, or a command that no rule reaches.
 */
export function applyReadOnly(input: ArgumentsInput): AppliedArguments {
  const { adapter, level } = input;
  const rule = level === null ? undefined : adapter.levels[level];
  const program = input.command.slice(0, 1);
  refuseShell(adapter, program[0]);
  const args = [...input.command.slice(1), ...(input.savedArgs ?? [])];
  const { pieces: original, rest } = parseArguments(adapter.grammar, args);
  if (level !== null) refuseUnreachable(adapter, original);

  const mode = autonomyOf(adapter, input.autonomous, level !== null);
  const file = level === null ? undefined : adapter.readOnlyFile?.(level);
  const files = file === undefined ? [] : [fileAt(input.filesDirectory, file)];
  const additions: Addition[] = [
    ...(input.model === undefined
      ? []
      : [{ flag: adapter.modelFlag, value: input.model, how: 'single' as const }]),
    ...mode.adds,
    ...adapter.hardening.adds,
    ...(rule?.adds ?? []),
    ...files.flatMap(({ path }) =>
      (adapter.fileFlags ?? []).map((flag): Addition => ({ flag, value: path, how: 'sum' })),
    ),
  ];
  const contradictions = [...mode.replaces, ...adapter.hardening.removes, ...(rule?.removes ?? [])];
  const merged = new Map<FlagSpec, string[]>();
  const kept = original.filter((piece) => {
    if (piece.kind !== 'flag') return true;
    if (contradictions.some((removal) => isRemoved(adapter, piece, removal))) return false;
    return !additions.some((addition) => gives(adapter, piece, addition, merged));
  });
  const ours = additions.flatMap((addition) => write(adapter, addition, merged));
  return {
    argv: [
      ...program,
      ...writeArguments(kept, original),
      ...guardBefore(adapter, kept, ours),
      ...ours,
      ...rest,
    ],
    env: joinEnvironment(adapter, input, mode.env),
    files,
    removed: tokensGone(original, kept, ours),
  };
}

function isRemoved(adapter: Adapter, piece: FlagPiece, removal: Removal): boolean {
  if (piece.flag !== findFlag(adapter.grammar, removal.flag)) return false;
  return removal.when === undefined || piece.values.some(removal.when);
}

/** Whether this piece gives way to the addition. The values of a merged flag are remembered on the way. */
function gives(
  adapter: Adapter,
  piece: FlagPiece,
  addition: Addition,
  merged: Map<FlagSpec, string[]>,
): boolean {
  if (piece.flag !== findFlag(adapter.grammar, addition.flag)) return false;
  if (addition.how === 'sum') {
    return piece.values.length === 1 && piece.values[0] === addition.value;
  }
  if (addition.how === 'merge') {
    const values = piece.values.flatMap((value) => value.split(','));
    merged.set(piece.flag, [...(merged.get(piece.flag) ?? []), ...values]);
  }
  return true;
}

function write(
  adapter: Adapter,
  addition: Addition,
  merged: ReadonlyMap<FlagSpec, readonly string[]>,
): string[] {
  if (addition.value === undefined) return [addition.flag];
  if (addition.how !== 'merge') return [addition.flag, addition.value];
  const flag = findFlag(adapter.grammar, addition.flag);
  const theirs = (flag === undefined ? undefined : merged.get(flag)) ?? [];
  const all = [...theirs.map((value) => value.trim()), ...addition.value.split(',')];
  return [addition.flag, [...new Set(all.filter((value) => value !== ''))].join(',')];
}

/**
 * A flag that is not known and stands last may take the next argument for its value, in a parser that lets it look like
 * a flag. Then it is given one that can be missed: the first of ours, once more, in one piece.
 */
function guardBefore(adapter: Adapter, kept: readonly Piece[], ours: readonly string[]): string[] {
  const last = kept.at(-1);
  const [flag, value] = ours;
  if (adapter.grammar.style !== 'commander' || last?.kind !== 'unknown_flag') return [];
  if (last.joined === true || flag === undefined) return [];
  return [value === undefined || value.startsWith('-') ? flag : `${flag}=${value}`];
}

function refuseShell(adapter: Adapter, program: string | undefined): void {
  if (program === undefined || !/(?:^|\/)(?:ba|da|z|k|fi)?sh$/.test(program)) return;
  const message = `the command of ${adapter.title} is the shell ${program}: arguments would go to the shell; name the program itself`;
  throw new AppError('bad_input', message);
}

function refuseUnreachable(adapter: Adapter, pieces: readonly Piece[]): void {
  const { refuses } = adapter;
  if (refuses === undefined) return;
  const flags = refuses.flags.map((flag) => findFlag(adapter.grammar, flag));
  const words = pieces.filter((piece) => piece.kind === 'word').map((piece) => piece.tokens[0]);
  const first = words.findIndex((word) => !adapter.headless.argv.includes(word ?? ''));
  const word = first >= 0 && first <= 1 ? words[first] : undefined;
  const flag = pieces.find((piece) => piece.kind === 'flag' && flags.includes(piece.flag));
  const culprit = flag?.tokens[0] ?? (refuses.words.includes(word ?? '') ? word : undefined);
  if (culprit === undefined) return;
  const message = `a read-only step cannot run ${adapter.title} with "${culprit}": its read-only rule does not reach that`;
  throw new AppError('bad_input', message);
}

function fileAt(
  directory: string | undefined,
  file: { name: string; content: string },
): AdapterFile {
  const place = (directory ?? DEFAULT_FILES_DIRECTORY).replace(/\/+$/, '');
  return { path: `${place}/${file.name}`, content: file.content };
}

function joinEnvironment(
  adapter: Adapter,
  input: ArgumentsInput,
  mode: Readonly<Record<string, string>>,
): EnvironmentChange {
  const { set, unset } = adapter.hardening.env;
  const rule =
    input.level === null ? undefined : adapter.readOnlyEnvironment?.(input.level, input.env ?? {});
  return {
    set: { ...mode, ...set, ...rule?.set },
    unset: [...unset, ...(rule?.unset ?? [])],
  };
}

/** What of the saved arguments is not in the list any more; what only moved to the end does not count. */
function tokensGone(
  original: readonly Piece[],
  kept: readonly Piece[],
  ours: readonly string[],
): string[] {
  return original
    .filter((piece) => !kept.includes(piece))
    .filter((piece) => !piece.tokens.every((token) => ours.includes(token)))
    .flatMap((piece) => piece.tokens);
}
