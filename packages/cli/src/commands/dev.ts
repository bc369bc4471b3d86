/**
 * `sallyport dev test`: the suites of the repository with one command from a fresh clone. It exists so that `npm test`
 * needs nothing on the machine but Node, npm and git; the arguments go to the test runner as they are.
 */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { EXIT_CODES, wrongUse, type Call, type Command, type ExitCode } from '../command.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..', '..');
const PROJECTS = ['unit', 'integration', 'e2e'];
const FORWARDED = ['SIGTERM', 'SIGHUP'] as const;

export const command: Command = {
  help: `usage: sallyport dev test [VITEST ARGUMENTS]

Runs the unit, integration and e2e suites; --project NAME chooses among them. Further arguments go to vitest.`,
  passThrough: true,
  run,
};

async function run(call: Call): Promise<ExitCode> {
  const [verb, ...args] = call.positionals;
  if (verb !== 'test') throw wrongUse(`dev: expected "test", got ${JSON.stringify(verb ?? '')}`);
  const chosen = args.some((arg) => arg.startsWith('--project'));
  const projects = chosen ? [] : PROJECTS.flatMap((name) => ['--project', name]);
  const script = join(ROOT, 'node_modules', 'vitest', 'vitest.mjs');
  const child = spawn(process.execPath, [script, 'run', ...projects, ...args], {
    cwd: ROOT,
    stdio: 'inherit',
  });
  // Ctrl-C reaches the child through the terminal; it tidies up, and this process only waits for it.
  process.on('SIGINT', () => undefined);
  for (const signal of FORWARDED) process.on(signal, () => child.kill(signal));
  const status = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', resolve);
  });
  return status === 0 ? EXIT_CODES.done : EXIT_CODES.no;
}
