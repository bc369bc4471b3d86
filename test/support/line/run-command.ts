/** Runs the operator's command as an operator does, against the deployment of a line. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';

const SCRIPT = join(import.meta.dirname, '../../../sallyport');

export interface CommandResult {
  readonly code: number | null;
  /** The last line of standard output, parsed; null when there is none. */
  readonly answer: Readonly<Record<string, unknown>> | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** `./sallyport ARGS --json` with this state directory. */
export async function runCommand(state: string, ...args: string[]): Promise<CommandResult> {
  const child = spawn(SCRIPT, [...args, '--json'], {
    cwd: '/',
    env: { PATH: process.env['PATH'], HOME: '/nonexistent', SALLYPORT_STATE_DIR: state },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  const last = stdout.trimEnd().split('\n').at(-1) ?? '';
  const answer = last.startsWith('{') ? (JSON.parse(last) as Record<string, unknown>) : null;
  return { code, answer, stdout, stderr };
}
