/**
 * Starts git with an environment that is built here and never inherited, so that the stand-in behaves the same under any
 * user, with any configuration in its home, and inside a hook of another repository.
 */
import { spawn } from 'node:child_process';
import { AppError } from '@sallyport/shared/errors';

export const GIT_ENVIRONMENT: Readonly<Record<string, string>> = {
  PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  HOME: '/nonexistent',
  XDG_CONFIG_HOME: '/nonexistent',
  LC_ALL: 'C',
  TZ: 'UTC',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_TERMINAL_PROMPT: '0',
  GIT_PAGER: 'cat',
  GIT_AUTHOR_NAME: 'GitHub',
  GIT_AUTHOR_EMAIL: 'noreply@github.com',
  GIT_COMMITTER_NAME: 'GitHub',
  GIT_COMMITTER_EMAIL: 'noreply@github.com',
};

export interface GitResult {
  readonly code: number;
  readonly stdout: Buffer;
  readonly stderr: string;
}

export interface GitOptions {
  readonly input?: string | Buffer;
  readonly env?: Readonly<Record<string, string>>;
}

/** Runs git in a bare repository and gives what it said, whatever its exit code. */
export function tryGit(
  gitDir: string,
  args: readonly string[],
  options: GitOptions = {},
): Promise<GitResult> {
  return new Promise((resolve, reject) => {
    const child = spawn('git', ['--git-dir', gitDir, ...args], {
      env: { ...GIT_ENVIRONMENT, ...options.env },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    const out: Buffer[] = [];
    const err: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => out.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => err.push(chunk));
    // Git may leave before it has read everything; the exit code tells that better than EPIPE.
    child.stdin.on('error', () => undefined);
    child.on('error', (cause) => reject(new AppError('internal', 'starting git', { cause })));
    child.on('close', (code) => {
      resolve({
        code: code ?? 128,
        stdout: Buffer.concat(out),
        stderr: Buffer.concat(err).toString('utf8'),
      });
    });
    child.stdin.end(options.input ?? '');
  });
}

/** Runs git and gives its standard output; a failure is an `internal` error that carries what git complained of. */
export async function git(
  gitDir: string,
  args: readonly string[],
  options: GitOptions = {},
): Promise<Buffer> {
  const result = await tryGit(gitDir, args, options);
  if (result.code !== 0) {
    throw new AppError('internal', `running git ${args[0] ?? ''}: ${result.stderr.trim()}`, {
      detail: { code: result.code },
    });
  }
  return result.stdout;
}

export async function gitText(
  gitDir: string,
  args: readonly string[],
  options: GitOptions = {},
): Promise<string> {
  return (await git(gitDir, args, options)).toString('utf8').trim();
}
