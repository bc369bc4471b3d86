/** Runs the attempts of one kind side by side in one sandbox, and their twins outside or in one with a hole in its wall. */
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import type {
  SandboxDriver,
  SandboxSpec,
} from '../../services/worker-launcher/src/launcher/sandbox/driver.ts';
import { shellSpec } from '../../services/worker-launcher/src/launcher/sandbox/sandbox-fixture.ts';
import { programOf, type Probe, type Twin } from './probe.ts';
import { SECRET, SECRET_VARIABLE, type World } from './world.ts';

const PERL = '/usr/bin/perl';
const AT_ONCE = 4;

// Runs inside: reads the programs from standard input and prints what each of them printed.
const RUNNER = `
const { execFile } = require('node:child_process');
const jobs = JSON.parse(require('node:fs').readFileSync(0, 'utf8'));
const outputs = {};
let next = 0;
const take = () => {
  const job = jobs[next++];
  if (job === undefined) return Promise.resolve();
  return new Promise((resolve) => {
    execFile('${PERL}', ['-e', job.program, ...job.args], { timeout: 6000 }, (_, out, err) => {
      outputs[job.tries] = out + err;
      resolve();
    });
  }).then(take);
};
Promise.all(Array.from({ length: ${AT_ONCE} }, take)).then(() => console.log(JSON.stringify(outputs)));
`;

/** What each attempt printed, by what it tries. */
export async function runInside(
  driver: SandboxDriver,
  probes: readonly Probe[],
  world: World,
  over: Partial<Omit<SandboxSpec, 'limits'>> = {},
): Promise<Record<string, string>> {
  const jobs = probes.map((probe) => ({
    tries: probe.tries,
    program: programOf(probe),
    args: probe.args(world),
  }));
  // What a launcher holds in its own environment must not be in a sandbox's.
  process.env[SECRET_VARIABLE] = SECRET;
  try {
    const exit = await driver.run(
      shellSpec('', {
        id: `escape-${randomBytes(8).toString('hex')}`,
        argv: [driver.node, '-e', RUNNER],
        stdin: Buffer.from(JSON.stringify(jobs)),
        limits: { wallMs: 60_000 },
        ...over,
      }),
    );
    if (exit.end.kind !== 'exited' || exit.end.code !== 0) {
      throw new Error(`the probes did not run: ${JSON.stringify(exit.end)} ${exit.stderr.text}`);
    }
    return z.record(z.string(), z.string()).parse(JSON.parse(exit.stdout.text));
  } finally {
    delete process.env[SECRET_VARIABLE];
  }
}

type Place = Extract<Twin, { on: string }>['on'];

/** The command that runs a twin without any sandbox. */
export function twinOnHost(probe: Probe, on: Place, world: World): string[] {
  const command = [PERL, ...perlArguments(probe, world)];
  switch (on) {
    case 'host':
      return command;
    case 'ordinary_user':
      return process.getuid?.() === 0
        ? ['/usr/bin/setpriv', '--reuid=23456', '--regid=23456', '--clear-groups', ...command]
        : command;
    case 'own_root': {
      const namespaces = ['--user', '--map-root-user', '--mount', '--net', '--ipc', '--uts'];
      return ['/usr/bin/unshare', ...namespaces, '--', ...command];
    }
    case 'terminal': {
      const quoted = command.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ');
      return ['/usr/bin/script', '-qec', quoted, '/dev/null'];
    }
  }
}

/** What perl is given to run a twin. */
export function perlArguments(probe: Probe, world: World): string[] {
  return ['-e', programOf(probe), ...(probe.twin.args ?? probe.args)(world)];
}

/** Runs a command and gives what it printed. */
export function runCommand(
  argv: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<string> {
  const [program = '', ...rest] = argv;
  return new Promise((resolve) => {
    execFile(
      program,
      rest,
      { cwd: '/', env: { PATH: '/usr/bin:/bin', ...env }, timeout: 20_000 },
      (_, stdout, stderr) => resolve(`${stdout}${stderr}`),
    );
  });
}
