/**
 * A checkout in which the launcher script and the bootstrap are real and everything that they would install is a fake
 * that records how it was called: so that a first start can be tested in milliseconds and without a network.
 */
import { spawn } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { delimiter, dirname, join } from 'node:path';

const ROOT = join(import.meta.dirname, '..', '..', '..');
/** What a machine has besides; the launcher script may use these. */
const TOOLS = ['sh', 'env', 'dirname', 'readlink', 'sleep', 'cat', 'chmod', 'mkdir'];
/** Takes the place of tsx, so the command itself never begins: it tells how it would have been called. */
const LOADER = `process.stdout.write(JSON.stringify({ argv: process.argv.slice(1), cwd: process.cwd() }) + '\\n');
process.exit(7);\n`;

export interface Outcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface FakeCheckout {
  readonly path: string;
  /** The only directory on the PATH of what runs here. */
  readonly bin: string;
  /** Puts a shell script of this name on the PATH; what it appends to the file `$CALLS` is read by `calls`. */
  program(name: string, script: string): void;
  /** What the programs wrote to `$CALLS`, by line. */
  calls(): string[];
  /** Runs the launcher (or `script`), with `env` besides the PATH, and waits for its end. */
  run(
    args: readonly string[],
    options?: { script?: string; cwd?: string; env?: Record<string, string> },
  ): Promise<Outcome>;
  remove(): void;
}

/** Makes a checkout with Node on the PATH, nothing else, and nothing installed. */
export function createFakeCheckout(): FakeCheckout {
  const root = mkdtempSync('/tmp/sp-test-checkout-');
  const path = join(root, 'checkout');
  const bin = join(root, 'bin');
  const callsFile = join(root, 'calls');
  mkdirSync(bin);
  writeFileSync(callsFile, '');
  for (const file of [
    'sallyport',
    'package.json',
    'pnpm-lock.yaml',
    'pnpm-workspace.yaml',
    'packages/cli/bootstrap',
  ]) {
    mkdirSync(dirname(join(path, file)), { recursive: true });
    cpSync(join(ROOT, file), join(path, file), { recursive: true });
  }
  const loader = join(path, 'packages/cli/node_modules/tsx/dist/loader.mjs');
  mkdirSync(dirname(loader), { recursive: true });
  writeFileSync(loader, LOADER);
  symlinkSync(process.execPath, join(bin, 'node'));
  for (const tool of TOOLS) symlinkSync(findTool(tool), join(bin, tool));

  return {
    path,
    bin,
    program(name, script) {
      rmSync(join(bin, name), { force: true });
      writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`);
      chmodSync(join(bin, name), 0o755);
    },
    calls: () => readFileSync(callsFile, 'utf8').split('\n').filter(Boolean),
    run(args, { script = join(path, 'sallyport'), cwd = path, env = {} } = {}) {
      return collect(script, args, cwd, { PATH: bin, CALLS: callsFile, BIN: bin, ...env });
    },
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
}

function findTool(name: string): string {
  for (const directory of (process.env['PATH'] ?? '').split(delimiter)) {
    if (existsSync(join(directory, name))) return realpathSync(join(directory, name));
  }
  throw new Error(`${name} is not on the PATH`);
}

function collect(
  script: string,
  args: readonly string[],
  cwd: string,
  env: Record<string, string>,
): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    const child = spawn(script, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
    let stdout = '';
    let stderr = '';
    child.stdout.on('data', (chunk: Buffer) => {
      stdout += chunk.toString();
    });
    child.stderr.on('data', (chunk: Buffer) => {
      stderr += chunk.toString();
    });
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, stdout, stderr }));
  });
}
