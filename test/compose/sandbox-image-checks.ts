/** The image of sandboxes, built as a closed network builds it and looked at from inside. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Engine } from './engine.ts';
import { authorityEnvironment } from './images.ts';
import type { Report } from './report.ts';
import { mustRun, run } from './run-program.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const BUILD = join(ROOT, 'deploy', 'sandbox-image', 'build.sh');
const COLLECTOR = join(ROOT, 'services/worker-launcher/src/launcher/collector/inside');
const NAME = 'sallyport-sandbox:compose-test';
const BUILD_TIMEOUT_MS = 900_000;
const MAX_BYTES = 400_000_000;
const TOOLS = {
  git: '--version',
  jq: '--version',
  make: '--version',
  node: '--version',
  npm: '--version',
  patch: '--version',
  python3: '--version',
  rg: '--version',
};
/** Small, without dependencies, and with a program: it stands for the CLI of an agent. */
const CLI = { package: 'semver@7.7.2', program: 'semver', words: ['1.2.3'], says: '1.2.3\n' };

/** Builds the image twice, without and with a CLI, and looks into it. */
export async function checkSandboxImage(report: Report, engine: Engine): Promise<void> {
  const env = {
    ...engine.env,
    ...authorityEnvironment(),
    ...buildNetwork(),
    SANDBOX_IMAGE: NAME,
    BASE_IMAGE: 'sallyport-base/debian:bookworm',
  };
  const build = async (more: Readonly<Record<string, string>> = {}): Promise<string> =>
    (await mustRun([BUILD], { env: { ...env, ...more }, timeoutMs: BUILD_TIMEOUT_MS })).trim();
  const docker = (...words: string[]): Promise<string> =>
    mustRun(['docker', ...words], { env: engine.env, timeoutMs: 60_000 });
  const inside = (image: string, ...words: string[]): Promise<string> =>
    docker('run', '--rm', '--network=none', '--read-only', image, ...words);
  let image = '';

  await report.check('the image of sandboxes is built from packages alone', async () => {
    image = await build();
    assert.match(image, /^sha256:[0-9a-f]{64}$/);
  });
  if (image === '') return;
  await report.check('it is smaller than 400 MB without the CLIs of agents', async () => {
    const bytes = Number(await docker('image', 'inspect', '--format', '{{.Size}}', image));
    assert.ok(bytes < MAX_BYTES, `${bytes} bytes`);
  });
  await report.check('it is one user, who can become no other', async () => {
    assert.equal(await inside(image, 'id', '-u'), '20000\n');
    const look = 'find / -xdev -type f -perm /6000 -print; command -v sudo; true';
    assert.equal(await docker('run', '--rm', '--user=0', image, 'sh', '-c', look), '');
    // The twin: the look finds what there is to find.
    const plant = `cp /usr/bin/true /tmp/planted && chmod 4755 /tmp/planted && ${look}`;
    assert.equal(
      await docker('run', '--rm', '--user=0', image, 'sh', '-c', plant),
      '/tmp/planted\n',
    );
  });
  await report.check('the tools that steps need are there, and Node is 24', async () => {
    for (const [tool, word] of Object.entries(TOOLS)) {
      assert.match(await inside(image, tool, word), /\d/, tool);
    }
    assert.match(await inside(image, '/usr/local/bin/node', '--version'), /^v24\./);
    assert.equal(await inside(image, 'node', '-p', '6*7'), '42\n');
  });
  await report.check('it carries the collector of this checkout, and says which', async () => {
    const format = '{{index .Config.Labels "sallyport.collector"}}';
    const labelled = (await docker('image', 'inspect', '--format', format, image)).trim();
    assert.equal(labelled, hashOfCollector());
    const script = 'cd /collector && LC_ALL=C sha256sum -- *.mjs | sha256sum';
    assert.equal((await inside(image, 'sh', '-c', script)).split(' ')[0], labelled);
    const touch = 'touch /collector/x 2>/dev/null || echo refused';
    assert.equal(await inside(image, 'sh', '-c', touch), 'refused\n');
  });
  await report.check('a CLI comes in by its exact version, and a range is refused', async () => {
    const withCli = await build({ AGENT_CLIS: CLI.package });
    assert.equal(await inside(withCli, CLI.program, ...CLI.words), CLI.says);
    const ranged = await run([BUILD], { env: { ...env, AGENT_CLIS: 'semver@^7.7.2' } });
    assert.deepEqual([ranged.code, ranged.stdout], [2, '']);
    assert.match(ranged.stderr, /"semver@\^7\.7\.2" has no exact version/);
  });
}

/** For machines from which containers of a bridge do not get out. */
function buildNetwork(): Record<string, string> {
  const network = process.env['BUILD_NETWORK'];
  return network === undefined ? {} : { BUILD_NETWORK: network };
}

function hashOfCollector(): string {
  const names = readdirSync(COLLECTOR)
    .filter((name) => name.endsWith('.mjs'))
    .toSorted();
  const lines = names.map((name) => `${sha256(readFileSync(join(COLLECTOR, name)))}  ${name}\n`);
  return sha256(lines.join(''));
}

function sha256(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}
