/** Looks at processes from outside, for tests that claim none is left: what runs, whose child it is, and starting one. */
import { spawn, type ChildProcess } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { readProcessIdentity } from '@sallyport/cli/local/process-identity';

const LOADER = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href;

export interface Program {
  readonly child: ChildProcess;
  /** The first line of its standard output, parsed. */
  readonly announced: Readonly<Record<string, unknown>>;
  /** Resolves with the exit code, or the signal's name. */
  readonly ended: Promise<number | string>;
}

/**
 * Starts a TypeScript program of the tests and waits for its first line of output, a JSON object.
 * @throws Error with its standard error when it ends before.
 */
export async function startProgram(script: string, args: readonly string[] = []): Promise<Program> {
  const child = spawn(process.execPath, ['--import', LOADER, script, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => {
    errors += chunk.toString();
  });
  const ended = new Promise<number | string>((resolve) => {
    child.once('exit', (code, signal) => resolve(signal ?? code ?? 'unknown'));
  });
  const line = new Promise<string>((resolve) => {
    createInterface({ input: child.stdout }).once('line', resolve);
  });
  const failed = ended.then((how) => {
    throw new Error(`${script} ended (${how}) without a word:\n${errors}`);
  });
  const announced: Record<string, unknown> = JSON.parse(await Promise.race([line, failed]));
  failed.catch(() => undefined);
  return { child, announced, ended };
}

export function isRunning(pid: number): boolean {
  return readProcessIdentity(pid) !== undefined;
}

/** The processes that `pid` started and their descendants. */
export function descendantsOf(pid: number): number[] {
  const children = new Map<number, number[]>();
  for (const name of readdirSync('/proc')) {
    const parent = /^\d+$/.test(name) ? parentOf(Number(name)) : undefined;
    if (parent !== undefined) children.set(parent, [...(children.get(parent) ?? []), Number(name)]);
  }
  const found: number[] = [];
  for (let queue = [pid]; queue.length > 0;) {
    queue = queue.flatMap((parent) => children.get(parent) ?? []);
    found.push(...queue);
  }
  return found;
}

/** Those of `pids` that still run after all had up to `timeoutMs` to end. */
export async function survivors(pids: readonly number[], timeoutMs: number): Promise<number[]> {
  const deadline = Date.now() + timeoutMs;
  while (pids.some(isRunning) && Date.now() < deadline) await sleep(20);
  return pids.filter(isRunning);
}

function parentOf(pid: number): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
  } catch {
    return undefined;
  }
}
