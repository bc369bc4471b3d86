/** Builds what a closed network builds before it follows the manual: base images from Debian packages, no registry. */
import { join } from 'node:path';
import { install, type Engine } from './engine.ts';
import { mustRun } from './run-program.ts';

const BUILD_TIMEOUT_MS = 1_800_000;
const ROOT = join(import.meta.dirname, '..', '..');

export const IMAGES = {
  SALLYPORT_IMAGE: 'sallyport:compose-test',
  BASE_IMAGE: 'sallyport-base/node:20',
  BUILD_IMAGE: 'sallyport-base/node-build:20',
  POSTGRES_IMAGE: 'sallyport-base/postgres:15',
  REDIS_IMAGE: 'sallyport-base/redis:7',
} as const;

/** What tells the build scripts of an authority that this machine trusts and an image would not. */
export function authorityEnvironment(): Record<string, string> {
  const certificates = process.env['EXTRA_CA_FILE'] ?? process.env['NODE_EXTRA_CA_CERTS'];
  return certificates === undefined ? {} : { EXTRA_CA_FILE: certificates };
}

/** Builds what the engine does not have yet. */
export async function buildBases(engine: Engine, note: (text: string) => void): Promise<void> {
  const env = { ...engine.env, ...authorityEnvironment(), ...IMAGES };
  const options = { env, timeoutMs: BUILD_TIMEOUT_MS };
  await install(['debootstrap'], ['debootstrap'], note);
  note('building the base images');
  await mustRun([join(ROOT, 'deploy', 'airgap', 'build-bases.sh')], options);
  // Younger ones are the builder's memory.
  if (engine.own)
    await mustRun(['docker', 'image', 'prune', '--force', '--filter', 'until=72h'], options);
}
