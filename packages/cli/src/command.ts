/**
 * What a command of `sallyport` is, and what it may do with its output. The streams are handed to it, so that the promise
 * of `--json` (one object as the last line of standard output, all else on standard error) is kept in one place.
 */
import type { ParseArgsConfig } from 'node:util';
import { AppError } from '@sallyport/shared/errors';

/** `no`: the answer is no, or it could not be done. `wrong_use`: the command line or the configuration is at fault. */
export const EXIT_CODES = { done: 0, no: 1, wrong_use: 2 } as const;
export type ExitCode = (typeof EXIT_CODES)[keyof typeof EXIT_CODES];

export type OptionValue = string | boolean | (string | boolean)[] | undefined;

/** One call of a command: its parsed arguments and its outputs. */
export interface Call {
  /** Values by option name, as `options` declares them. */
  readonly values: Readonly<Record<string, OptionValue>>;
  readonly positionals: readonly string[];
  /** What followed `--`. */
  readonly rest: readonly string[];
  readonly json: boolean;
  /** Text for a person: standard output, or standard error with `--json`. A line end is added. */
  readonly print: (text: string) => void;
  /** Progress and warnings: always standard error. A line end is added. */
  readonly note: (text: string) => void;
  /** The command's answer: with `--json` the last line of standard output, else nothing. Call it once. */
  readonly answer: (value: Readonly<Record<string, unknown>>) => void;
}

export interface Command {
  /** What `--help` prints: a usage line, then what the command does and each option. */
  readonly help: string;
  /** Options for `node:util` parseArgs; `--help` and `--json` are understood everywhere. */
  readonly options?: NonNullable<ParseArgsConfig['options']>;
  /** How many words may follow the command's name; none unless said. */
  readonly positionals?: { readonly min: number; readonly max: number };
  /** Hands all arguments over unparsed, as positionals: for a command that passes them to another program. */
  readonly passThrough?: boolean;
  run(call: Call): Promise<ExitCode>;
}

/** An entry of the command table: loaded only when it is called. */
export interface CommandEntry {
  readonly summary: string;
  load(): Promise<{ readonly command: Command }>;
}

/** An error in how the command was called: exit code 2, the message and the command's usage line are printed. */
export function wrongUse(message: string): AppError {
  return new AppError('bad_input', message);
}

/** The value of a string option that may be missing. */
export function stringOption(call: Call, name: string): string | undefined {
  const value = call.values[name];
  return typeof value === 'string' ? value : undefined;
}

/** Whether a boolean option was given. */
export function flagOption(call: Call, name: string): boolean {
  return call.values[name] === true;
}
