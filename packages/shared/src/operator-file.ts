/** Reads the JSON files that an operator writes. One that cannot be used is refused with its variable, its path and the mend. */
import { readFileSync } from 'node:fs';
import type { z } from 'zod';
import { AppError } from './errors.ts';

/** What a variable names, and what a file there looks like. */
export interface OperatorFile {
  variable: string;
  path: string;
  /** An example of the least that may stand in it. */
  form: string;
}

/** The value in the file. @throws AppError `bad_config`. */
export function readOperatorFile({ variable, path, form }: OperatorFile): unknown {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code ?? 'unreadable';
    const mend = 'check that it exists and is readable by this user';
    throw new AppError('bad_config', `${variable}: cannot read ${path} (${code}); ${mend}`, {
      cause,
    });
  }
  try {
    return JSON.parse(text);
  } catch (cause) {
    const why = (cause as Error).message;
    throw new AppError(
      'bad_config',
      `${variable}: ${path} is no JSON (${why}); write ${form} into it`,
      { cause },
    );
  }
}

/** The value in the file, as the schema has it. @throws AppError `bad_config` that lists every place that is wrong. */
export function parseOperatorFile<S extends z.ZodType>(file: OperatorFile, schema: S): z.output<S> {
  const parsed = schema.safeParse(readOperatorFile(file));
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map(
    (issue) => `${issue.path.map(String).join('.') || 'the file'}: ${issue.message}`,
  );
  throw new AppError('bad_config', `${file.variable}: ${file.path}:\n  ${problems.join('\n  ')}`);
}
