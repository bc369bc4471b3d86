/** Fifty tasks at once in containers while launchers die: the same as on namespaces, and what an engine keeps is looked for. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, inject, test } from 'vitest';
import { createLauncherFixture } from '../integration/launcher/launcher-fixture.ts';
import { runManyTasks } from '../integration/launcher/many-tasks-suite.ts';
import { createTraces } from '../integration/launcher/many-tasks-traces.ts';
import { callEngine } from '../support/engine/call-engine.ts';
import { startTestGuard } from '../support/engine/start-guard.ts';
import { importSandboxImage } from './driver-image.ts';

const COUNT = 50;
const WAIT_SECONDS = 600;

test(
  'fifty tasks at once, on launchers of which three are killed, end once each and leave nothing in the engine',
  { timeout: 1_500_000 },
  async () => {
    const engineSocket = inject('engineSocket');
    const image = await importSandboxImage({ DOCKER_HOST: `unix://${engineSocket}` });
    const guard = await startTestGuard({ engineSocket, image });
    const fixture = await createLauncherFixture();
    const traces = createTraces(fixture.directory);
    const inGuard = createTraces(guard.root);
    let seen = 0;
    try {
      const rig = {
        fixture,
        env: { SANDBOX_DRIVER: 'docker', GUARD_SOCKET: guard.socket, SANDBOX_IMAGE: image },
        directories: () => [...fixture.leftFiles(), ...list(join(guard.root, 'runs'))],
        look: () => void (seen = Math.max(seen, inGuard.look())),
        findLeft: async () => [
          ...(await leftInEngine(engineSocket, guard.deployment)),
          ...traces.find(),
          // The guard itself lives on, and has the root in its environment.
          ...inGuard
            .find()
            .filter((trace) => !/^process \d+ (node|MainThread|esbuild) /.test(trace)),
        ],
      };
      await runManyTasks(rig, { count: COUNT, seconds: WAIT_SECONDS });
      // The twin: while there were containers, their processes were found in the same way.
      expect(seen).toBeGreaterThan(1);
    } finally {
      await fixture.close();
      await guard.close();
    }
  },
);

/** Containers in every state, volumes and networks that bear this deployment's label. */
async function leftInEngine(socket: string, deployment: string): Promise<string[]> {
  const filters = encodeURIComponent(
    JSON.stringify({ label: [`sallyport.deployment=${deployment}`] }),
  );
  const ask = async (path: string): Promise<unknown> =>
    (await callEngine(socket, 'GET', `${path}filters=${filters}`)).json;
  const containers = (await ask('/containers/json?all=1&')) as { Id: string; State: string }[];
  const { Volumes: volumes } = (await ask('/volumes?')) as { Volumes: { Name: string }[] | null };
  const networks = (await ask('/networks?')) as { Name: string }[];
  return [
    ...containers.map(({ Id, State }) => `container ${Id} (${State})`),
    ...(volumes ?? []).map(({ Name }) => `volume ${Name}`),
    ...networks.map(({ Name }) => `network ${Name}`),
  ];
}

function list(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}
