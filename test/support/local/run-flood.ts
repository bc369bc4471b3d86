/**
 * A process that does with a driver what a launcher does with a sandbox that prints: reads, counts, keeps the end. Apart
 * from the test, so that its memory can be told from the test runner's. One JSON object as argument says which driver; it
 * prints `warm` after a first small sandbox, begins on a line of input, and ends with what came.
 */
import { once } from 'node:events';
import { newId } from '@sallyport/shared/ids';
import { createBubblewrapDriver } from '../../../services/worker-launcher/src/launcher/sandbox/bubblewrap-driver.ts';
import { createDockerDriver } from '../../../services/worker-launcher/src/launcher/sandbox/docker-driver.ts';
import { createEngine } from '../../../services/worker-launcher/src/launcher/sandbox/docker-engine.ts';
import { shellSpec } from '../../../services/worker-launcher/src/launcher/sandbox/sandbox-fixture.ts';

export interface FloodOptions {
  bytes: number;
  docker?: { guardSocket: string; image: string; instance: string; stateDir: string };
}

const WARM_BYTES = 64_000_000;
const { bytes, docker } = JSON.parse(process.argv[2] ?? '') as FloodOptions;
const driver =
  docker === undefined
    ? createBubblewrapDriver()
    : createDockerDriver({
        ...docker,
        engine: createEngine(docker.guardSocket),
        usageOf: () => Promise.resolve(0),
      });

async function print(count: number): Promise<void> {
  const limits = { outputBytes: count * 2, wallMs: 300_000 };
  const spec = shellSpec(`head -c ${count} /dev/zero`, { limits });
  const { end, stdout } = await driver.run({ ...spec, id: `flood-${newId()}` });
  process.stdout.write(`${JSON.stringify({ end, totalBytes: stdout.totalBytes })}\n`);
}

await print(WARM_BYTES);
await once(process.stdin, 'data');
await print(bytes);
process.exit(0);
