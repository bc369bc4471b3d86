/** Runs a program to its end and keeps what it said. Nothing of the caller's environment reaches it but what is named. */
import { spawn } from 'node:child_process';

export interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly input?: string;
  readonly timeoutMs?: number;
  /** Called with each piece of output, for long programs. */
  readonly onOutput?: (text: string) => void;
}

const DEFAULT_TIMEOUT_MS = 120_000;

/** The variables by which programs find the network's and the machine's own configuration. */
export function machineEnvironment(): Record<string, string> {
  const kept =
    /^(PATH|HOME|LANG|TMPDIR|DEBIAN_FRONTEND|.*_proxy|npm_config_.*|DEBIAN_MIRROR|APT_SOURCES_FILE)$/i;
  const entries = Object.entries(process.env).filter(([name]) => kept.test(name));
  return Object.fromEntries(entries.map(([name, value]) => [name, value ?? '']));
}

/** Runs it; a program that cannot be started or takes too long has the code null. */
export function run(argv: readonly string[], options: RunOptions = {}): Promise<Ran> {
  const [program = '', ...rest] = argv;
  return new Promise((resolve) => {
    const child = spawn(program, rest, {
      env: { ...machineEnvironment(), ...options.env },
      cwd: options.cwd,
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    let stdout = '';
    let stderr = '';
    const timer = setTimeout(() => child.kill('SIGKILL'), options.timeoutMs ?? DEFAULT_TIMEOUT_MS);
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
      options.onOutput?.(text);
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
      options.onOutput?.(text);
    });
    child.stdin.on('error', () => undefined);
    child.stdin.end(options.input ?? '');
    child.once('error', (error) => {
      stderr += error.message;
    });
    child.once('close', (code) => {
      clearTimeout(timer);
      resolve({ code, stdout, stderr });
    });
  });
}

/** The same, for a program that must succeed. @throws Error with the end of what it said. */
export async function mustRun(argv: readonly string[], options: RunOptions = {}): Promise<string> {
  const ran = await run(argv, options);
  if (ran.code === 0) return ran.stdout;
  const said = `${ran.stdout}\n${ran.stderr}`.trim().split('\n').slice(-25).join('\n');
  throw new Error(
    `${argv.slice(0, 4).join(' ')} … ended with ${ran.code ?? 'a timeout'}:\n${said}`,
  );
}
