/** A container exactly like those that the guard makes but for one wall: what the guard said to the engine, one field changed. */
import { guardCreate } from '../../services/worker-launcher/src/launcher/sandbox/docker-body.ts';
import { shellSpec } from '../../services/worker-launcher/src/launcher/sandbox/sandbox-fixture.ts';
import type { DriverRig } from '../engine/driver-rig.ts';
import { callEngine } from '../support/engine/call-engine.ts';
import type { Wall } from './probe.ts';
import type { World } from './world.ts';

interface Made {
  Config: Record<string, unknown>;
  HostConfig: Record<string, unknown>;
}

export interface ContainerTwins {
  run(
    wall: Wall,
    argv: readonly [string, ...string[]],
    env: Readonly<Record<string, string>>,
  ): Promise<string>;
}

/** Asks the guard for one container and takes down what it said. */
export async function createContainerTwins(
  rig: DriverRig,
  engineSocket: string,
  world: World,
): Promise<ContainerTwins> {
  const call = async (
    method: string,
    path: string,
    body?: Record<string, unknown>,
  ): Promise<unknown> => {
    const answer = await callEngine(engineSocket, method, path, body);
    if (answer.status >= 300)
      throw new Error(`${method} ${path}: ${answer.status} ${answer.message}`);
    return answer.json ?? answer.body.toString('latin1');
  };
  const container = await rig.engine.create(
    'escape-pattern',
    guardCreate(shellSpec('true', { labels: { lease: rig.instance } }), rig),
  );
  const { Config, HostConfig } = (await call('GET', `/containers/${container.id}/json`)) as Made;
  await container.remove();
  return {
    async run(wall, argv, env) {
      const hole = holeOf(wall, world);
      const { Id } = (await call('POST', '/containers/create', {
        ...Config,
        ...hole.config,
        Entrypoint: argv.slice(0, 1),
        Cmd: argv.slice(1),
        Labels: {},
        Env: [
          'PATH=/usr/bin:/bin',
          ...Object.entries(hole.hasEnvironment ? env : {}).map((e) => e.join('=')),
        ],
        // The name of the container belongs to a network of its own.
        ...(wall === 'network' ? { Hostname: '', NetworkDisabled: false } : {}),
        HostConfig: { ...HostConfig, LogConfig: { Type: 'json-file' }, ...hole.host },
      })) as { Id: string };
      try {
        await call('POST', `/containers/${Id}/start`);
        await call('POST', `/containers/${Id}/wait`);
        return String(await call('GET', `/containers/${Id}/logs?stdout=1&stderr=1`));
      } finally {
        await call('DELETE', `/containers/${Id}?force=1&v=1`);
      }
    },
  };
}

interface Hole {
  config?: Record<string, unknown>;
  host?: Record<string, unknown>;
  hasEnvironment?: boolean;
}

function holeOf(wall: Wall, { directory }: World): Hole {
  switch (wall) {
    case 'network':
      return { host: { NetworkMode: 'host' } };
    case 'processes':
      return { host: { PidMode: 'host' } };
    case 'mounts':
      return { host: { Binds: [`${directory}:${directory}:ro`] } };
    case 'environment':
      return { hasEnvironment: true };
    case 'filter':
    case 'namespaces':
      return { host: { SecurityOpt: ['no-new-privileges:true', 'seccomp=unconfined'] } };
    case 'read_only_root':
      // Whose the directories of the image are; the sandbox's own user owns none.
      return { config: { User: '0:0' }, host: { ReadonlyRootfs: false } };
  }
}
