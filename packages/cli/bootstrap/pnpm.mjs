/**
 * Provides pnpm in the exact version that package.json names: the one on the PATH when it is that version, else its own
 * copy below .local/tools, fetched once with npm. Nothing is installed globally.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { installerEnvironment } from './environment.mjs';
import { Refusal, say } from './say.mjs';

const PROBE_TIMEOUT_MS = 10_000;

/** How to run pnpm: a command and its first arguments. */
export function providePnpm(root) {
  const version = wantedVersion(root);
  if (versionOnPath() === version) return { command: 'pnpm', args: [] };
  const home = join(root, '.local', 'tools', `pnpm-${version}`);
  const script = join(home, 'node_modules', 'pnpm', 'bin', 'pnpm.cjs');
  if (!existsSync(script)) fetchPnpm(version, home);
  return { command: process.execPath, args: [script] };
}

function wantedVersion(root) {
  const { packageManager } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const version = /^pnpm@(\d+\.\d+\.\d+)/.exec(packageManager ?? '')?.[1];
  if (version === undefined)
    throw new Refusal('package.json does not name a pnpm version in "packageManager"');
  return version;
}

function versionOnPath() {
  const probe = spawnSync('pnpm', ['--version'], {
    // Inside the checkout pnpm would fetch the version that package.json names and answer with that; and a pnpm that is
    // really corepack would ask the network.
    cwd: '/',
    env: { ...installerEnvironment(process.env), COREPACK_ENABLE_NETWORK: '0' },
    encoding: 'utf8',
    timeout: PROBE_TIMEOUT_MS,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  return probe.status === 0 ? probe.stdout.trim() : undefined;
}

function fetchPnpm(version, home) {
  say(`fetching pnpm ${version} with npm into ${home}`);
  const making = `${home}.making`;
  rmSync(making, { recursive: true, force: true });
  mkdirSync(making, { recursive: true });
  const done = spawnSync(
    'npm',
    [
      'install',
      '--prefix',
      making,
      '--ignore-scripts',
      '--no-audit',
      '--no-fund',
      '--omit=optional',
      `pnpm@${version}`,
    ],
    { cwd: making, env: installerEnvironment(process.env), stdio: ['ignore', 2, 2] },
  );
  if (done.error)
    throw new Refusal(`npm did not start (${done.error.message}): install npm, or pnpm ${version}`);
  if (done.status !== 0) throw new Refusal(`fetching pnpm ${version} with npm failed (see above)`);
  rmSync(home, { recursive: true, force: true });
  renameSync(making, home);
}
