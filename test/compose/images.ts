/** Builds the images of a deployment the way a closed network does: bases from Debian packages, no registry. */
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

/** Builds what the engine does not have yet, and the image of this checkout. */
export async function buildImages(engine: Engine, note: (text: string) => void): Promise<void> {
  const certificates = process.env['EXTRA_CA_FILE'] ?? process.env['NODE_EXTRA_CA_CERTS'];
  const env = {
    ...engine.env,
    ...(certificates === undefined ? {} : { EXTRA_CA_FILE: certificates }),
    ...IMAGES,
  };
  const options = { env, timeoutMs: BUILD_TIMEOUT_MS };
  await install(['debootstrap'], ['debootstrap'], note);
  note('building the base images');
  await mustRun([join(ROOT, 'deploy', 'airgap', 'build-bases.sh')], options);
  note('building the image');
  await mustRun([join(ROOT, 'deploy', 'compose', 'build.sh')], options);
  // Younger ones are the builder's memory.
  if (engine.own)
    await mustRun(['docker', 'image', 'prune', '--force', '--filter', 'until=72h'], options);
}
