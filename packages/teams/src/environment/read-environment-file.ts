/**
 * Reads the text of an environment file. Every problem is told at once, with the line and column at which its author finds
 * it; an environment comes out only when nothing stands against it.
 */
import { LineCounter, parseDocument } from 'yaml';
import type { z } from 'zod';
import { nearestName } from '../nearest-name.ts';
import { FILE_START, placeAt, placeOf, type PlaceInFile } from '../yaml-place.ts';
import { EnvironmentSchema, type Environment } from './environment.ts';

/** Where a repository says what it needs installed. */
export const ENVIRONMENT_PATH = '.sallyport/environment.yaml';
export const ENVIRONMENT_FILE_MAX_BYTES = 64 * 1024;

export interface EnvironmentFileProblem extends PlaceInFile {
  message: string;
}

export type EnvironmentFile =
  | { ok: true; environment: Environment }
  /** In the order of the file; at least one. */
  | { ok: false; problems: EnvironmentFileProblem[] };

/** Reads YAML (of which JSON is a part). It does not throw. */
export function readEnvironmentFile(text: string): EnvironmentFile {
  const bytes = Buffer.byteLength(text);
  if (bytes > ENVIRONMENT_FILE_MAX_BYTES) {
    return refuse(`the file has ${bytes} bytes; at most ${ENVIRONMENT_FILE_MAX_BYTES} are read`);
  }
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  if (document.errors.length > 0) {
    const problems = document.errors.map(({ pos, message }) => ({
      ...placeAt(lines, pos[0]),
      message,
    }));
    return { ok: false, problems };
  }
  let value: unknown;
  try {
    // Aliases are followed a bounded number of times: ten lines of them can stand for a gigabyte.
    value = document.toJS({ maxAliasCount: 100 });
  } catch (error) {
    return refuse(error instanceof Error ? error.message : 'the file cannot be read as YAML');
  }
  const parsed = EnvironmentSchema.safeParse(value);
  if (parsed.success) return { ok: true, environment: parsed.data };
  const explained = parsed.error.issues.flatMap((issue) => explain(issue, value));
  const mistyped = new Set(explained.map(({ meant }) => meant));
  const problems = explained
    // A mistyped key is one problem, not two.
    .filter(({ missing }) => missing === undefined || !mistyped.has(missing))
    .map(({ path, message, isKey }) => ({ ...placeOf(document, lines, path, isKey), message }))
    .toSorted((a, b) => a.line - b.line || a.column - b.column);
  return { ok: false, problems };
}

/** `3:1: "comands" is not known here; did you mean "commands"?`, one line for each problem. */
export function describeEnvironmentProblems(problems: readonly EnvironmentFileProblem[]): string {
  return problems.map(({ line, column, message }) => `${line}:${column}: ${message}`).join('\n');
}

function refuse(message: string): EnvironmentFile {
  return { ok: false, problems: [{ ...FILE_START, message }] };
}

interface Explained {
  path: (string | number)[];
  message: string;
  isKey: boolean;
  /** For an unknown key: the one that was probably meant. */
  meant?: string;
  /** The key that is missing. */
  missing?: string;
}

function explain(issue: z.core.$ZodIssue, value: unknown): Explained[] {
  const path = issue.path.map((part) => (typeof part === 'number' ? part : String(part)));
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => unknownKey([...path, key], key));
  }
  if (issue.code === 'invalid_key') {
    const message = `${path.join('.')}: the name ${issue.issues.map((i) => i.message).join('; ')}`;
    return [{ path, message, isKey: true }];
  }
  const isMissing = path.length === 1 && !hasOwn(value, String(path[0]));
  const where = path.map(String).join('.') || 'the file';
  if (isMissing) {
    return [{ path, message: `"${where}" is missing`, isKey: false, missing: where }];
  }
  return [{ path, message: `${where}: ${issue.message}`, isKey: false }];
}

function unknownKey(path: (string | number)[], key: string): Explained {
  const said = `"${key}" is not known here`;
  const known = Object.keys(EnvironmentSchema.shape);
  const near = nearestName(key, known);
  if (near === undefined)
    return { path, message: `${said}; known are ${known.join(', ')}`, isKey: true };
  return { path, message: `${said}; did you mean "${near}"?`, isKey: true, meant: near };
}

function hasOwn(value: unknown, name: string): boolean {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name);
}
