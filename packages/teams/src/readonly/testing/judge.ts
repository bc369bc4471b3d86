/** What the models of the agent CLIs have in common: what they are given, and how they look at what was read. */
import type { ReadOnlyLevel } from '../../restriction-words.ts';
import type { ReadArguments, Reading } from './model-parsers.ts';

export interface Start {
  /** What follows the program. */
  args: readonly string[];
  env: Readonly<Record<string, string>>;
  files: ReadonlyMap<string, string>;
}
/** Why the start fails or a write would succeed; undefined when the CLI starts and refuses all that the level claims. */
export type Judge = (start: Start, level: ReadOnlyLevel) => string | undefined;

/** Every value of an option, over all of its occurrences. */
export function all(read: ReadArguments, name: string): string[] {
  return (read.options.get(name) ?? []).flat();
}
/** The items of a list option, whose values may hold several by commas. */
export function csv(read: ReadArguments, name: string): string[] {
  return all(read, name)
    .flatMap((value) => value.split(/,(?![^(]*\))/))
    .map((item) => item.trim());
}
/** Whether an option was given. */
export function has(read: ReadArguments, name: string): boolean {
  return read.options.has(name);
}
/** What is missing from a list of refusals, in words. */
export function lacking(list: readonly string[], wanted: readonly string[]): string | undefined {
  const missing = wanted.find((item) => !list.includes(item));
  return missing === undefined ? undefined : `${missing} is not denied`;
}
/** The judgement of what was read, or why the CLI did not start. */
export function judged(
  reading: Reading,
  judge: (read: ReadArguments) => string | undefined,
): string | undefined {
  return 'error' in reading ? reading.error : judge(reading);
}
