/**
 * A container engine to test on: the one that runs, or one of our own that ends with us. What it needs is installed where
 * that can be done without asking anybody; where no engine can be had the reason is said, and the run has failed.
 */
import { mkdirSync, mkdtempSync, openSync, closeSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { endProcess, hasExited, spawnBound } from '@sallyport/cli/local/bound-process';
import { machineEnvironment, run } from './run-program.ts';

const START_TIMEOUT_MS = 120_000;
const INSTALL_TIMEOUT_MS = 900_000;

export interface Engine {
  /** What a client needs to find it. */
  readonly env: Readonly<Record<string, string>>;
  readonly compose: readonly string[];
  /** Whether it was started for this run, and keeps nothing but what this test put there. */
  readonly own: boolean;
  stop(): Promise<void>;
}

/**
 * Finds or starts an engine. `dataDir` keeps the images of an engine of our own between runs.
 * @throws Error with the reason why there is none.
 */
export async function startEngine(dataDir: string, note: (text: string) => void): Promise<Engine> {
  const given = process.env['DOCKER_HOST'];
  const env = given === undefined ? {} : { DOCKER_HOST: given };
  if (await answers(env)) {
    note('using the engine that runs');
    return { env, own: false, compose: await findCompose(note), stop: () => Promise.resolve() };
  }
  if (given !== undefined) throw new Error(`no engine answers at DOCKER_HOST=${given}`);
  if (process.getuid?.() !== 0)
    throw new Error('no engine runs, and only root can start one; start Docker and run this again');
  await install(['dockerd', 'docker', 'iptables'], ['docker.io', 'iptables'], note);
  const compose = await findCompose(note);
  return { ...(await startOwn(dataDir, note)), compose };
}

async function startOwn(
  dataDir: string,
  note: (text: string) => void,
): Promise<Omit<Engine, 'compose'>> {
  // Short, because it holds sockets.
  const runDir = mkdtempSync(join(tmpdir(), 'sp-engine-'));
  mkdirSync(dataDir, { recursive: true });
  const socket = `unix://${runDir}/docker.sock`;
  const logFile = join(runDir, 'dockerd.log');
  const log = openSync(logFile, 'a');
  const child = spawnBound({
    argv: [
      'dockerd',
      '--storage-driver=overlay2',
      `--data-root=${dataDir}`,
      `--exec-root=${runDir}/exec`,
      `--pidfile=${runDir}/dockerd.pid`,
      `--host=${socket}`,
    ],
    env: machineEnvironment(),
    cwd: '/',
    mayGainPrivileges: true,
    // In order: it stops its containers and unmounts what it mounted.
    deathSignal: 'SIGTERM',
    stdio: ['ignore', log, log],
  });
  closeSync(log);
  async function stop(): Promise<void> {
    await endProcess(child, [{ signal: 'SIGTERM', timeoutMs: 60_000 }]);
    rmSync(runDir, { recursive: true, force: true });
  }
  const env = { DOCKER_HOST: socket };
  const deadline = Date.now() + START_TIMEOUT_MS;
  while (!hasExited(child) && Date.now() < deadline) {
    if (await answers(env)) {
      note('started an engine');
      return { env, own: true, stop };
    }
    await sleep(500);
  }
  const said = readFileSync(logFile, 'utf8').split('\n').slice(-15).join('\n');
  await stop();
  throw new Error(`no engine can be started here:\n${said}`);
}

async function answers(env: Readonly<Record<string, string>>): Promise<boolean> {
  const ran = await run(['docker', 'version', '--format', '{{.Server.Version}}'], {
    env,
    timeoutMs: 20_000,
  });
  return ran.code === 0 && ran.stdout.trim() !== '';
}

async function findCompose(note: (text: string) => void): Promise<readonly string[]> {
  for (const compose of [['docker-compose'], ['docker', 'compose']]) {
    const ran = await run([...compose, 'version'], { timeoutMs: 20_000 });
    if (ran.code === 0) return compose;
  }
  await install(['docker-compose'], ['docker-compose'], note);
  return ['docker-compose'];
}

/** Installs the Debian packages when one of the programs is missing. @throws Error naming what is still missing. */
export async function install(
  programs: readonly string[],
  packages: readonly string[],
  note: (text: string) => void,
): Promise<void> {
  if ((await missing(programs)).length === 0) return;
  if (process.getuid?.() === 0) {
    note(`installing ${packages.join(' ')} with apt-get`);
    const env = { DEBIAN_FRONTEND: 'noninteractive' };
    await run(['apt-get', '-q', 'update'], { env, timeoutMs: INSTALL_TIMEOUT_MS });
    await run(['apt-get', '-q', 'install', '-y', '--no-install-recommends', ...packages], {
      env,
      timeoutMs: INSTALL_TIMEOUT_MS,
    });
  }
  const still = await missing(programs);
  if (still.length > 0)
    throw new Error(
      `not installed: ${still.join(', ')} (Debian: apt-get install ${packages.join(' ')})`,
    );
}

async function missing(programs: readonly string[]): Promise<string[]> {
  const found = await Promise.all(
    programs.map((program) => run(['/bin/sh', '-c', `command -v ${program}`])),
  );
  return programs.filter((_, at) => found[at]?.code !== 0);
}
