/**
 * Configuration of one process from its environment: a literal list of names, every problem reported in one message,
 * secrets only from files. A secret given by value is refused even when the file is given too: it has already leaked
 * into `ps`, crash dumps and children. So is a file that everybody on the machine can read.
 */
import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs';
import { z } from 'zod';
import { AppError } from './errors.ts';

/** What a process reads from its environment: plain values by name, secrets by the name whose `_FILE` variable is read. */
export interface ConfigSpec<V extends z.ZodRawShape, S extends z.ZodRawShape> {
  values: V;
  secrets: S;
}
export type ConfigOf<V extends z.ZodRawShape, S extends z.ZodRawShape> = z.infer<z.ZodObject<V>> &
  z.infer<z.ZodObject<S>>;

/** The environment names that a process with this specification may be given, sorted. */
export function environmentNames(spec: ConfigSpec<z.ZodRawShape, z.ZodRawShape>): string[] {
  return [
    ...Object.keys(spec.values),
    ...Object.keys(spec.secrets).map((n) => `${n}_FILE`),
  ].toSorted();
}

/**
 * Reads and checks the configuration.
 * @throws AppError `bad_config` whose message lists every problem, one a line, with the variable and the mend.
 */
export function loadConfig<V extends z.ZodRawShape, S extends z.ZodRawShape>(
  spec: ConfigSpec<V, S>,
  env: NodeJS.ProcessEnv,
): ConfigOf<V, S> {
  const problems: string[] = [];
  const raw: Record<string, string | undefined> = {};
  for (const name of Object.keys(spec.values)) raw[name] = env[name];
  for (const name of Object.keys(spec.secrets)) raw[name] = readSecret(name, env, problems);

  const failedToRead = new Set(problems.map((p) => p.split(/[: ]/, 1)[0]));
  const parsed = z.object({ ...spec.values, ...spec.secrets }).safeParse(raw);
  if (!parsed.success) {
    for (const issue of parsed.error.issues) {
      const name = String(issue.path[0]);
      const shown = name in spec.secrets ? `${name}_FILE` : name;
      if (failedToRead.has(shown) || failedToRead.has(name)) continue;
      const missing = raw[name] === undefined;
      problems.push(`${shown}: ${missing ? 'is not set; set it' : issue.message}`);
    }
  }
  if (problems.length > 0 || !parsed.success) {
    throw new AppError('bad_config', `invalid configuration:\n  ${problems.join('\n  ')}`);
  }
  return parsed.data as ConfigOf<V, S>;
}

function readSecret(name: string, env: NodeJS.ProcessEnv, problems: string[]): string | undefined {
  if (env[name] !== undefined) {
    problems.push(
      `${name}: a secret must not be given by value; put it in a file and set ${name}_FILE`,
    );
    return undefined;
  }
  const file = env[`${name}_FILE`];
  if (file === undefined) return undefined;
  try {
    const { text, mode } = readWithMode(file);
    // The bits of the group stay out of it: where access lists are in use, they are a mask and no permission.
    if ((mode & 0o007) !== 0) {
      problems.push(
        `${name}_FILE: ${file} is open to every user of this machine (mode ${(mode & 0o777).toString(8).padStart(4, '0')}); run chmod 0400 on it`,
      );
      return undefined;
    }
    return text.trimEnd();
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unreadable';
    problems.push(
      `${name}_FILE: cannot read ${file} (${code}); check that it exists and is readable by this user`,
    );
    return undefined;
  }
}

/** One descriptor for both, so that the mode is that of the file which was read. A pipe or a device keeps nothing: mode 0. */
function readWithMode(file: string): { text: string; mode: number } {
  const fd = openSync(file, 'r');
  try {
    const stat = fstatSync(fd);
    return { text: readFileSync(fd, 'utf8'), mode: stat.isFile() ? stat.mode : 0 };
  } finally {
    closeSync(fd);
  }
}
