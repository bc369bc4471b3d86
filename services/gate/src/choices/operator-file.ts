/** Reads a JSON file that an operator wrote. A file that cannot be used stops the start, with its path and what is wrong. */
import { readFileSync } from 'node:fs';
import { AppError } from '@sallyport/shared/errors';

/** The value in the file. @throws AppError `bad_config` naming the variable and the file. */
export function readOperatorFile(variable: string, path: string): unknown {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code ?? 'unreadable';
    throw new AppError('bad_config', `${variable}: cannot read ${path} (${code})`, { cause });
  }
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new AppError(
      'bad_config',
      `${variable}: ${path} is no JSON: ${(cause as Error).message}`,
      { cause },
    );
  }
}
