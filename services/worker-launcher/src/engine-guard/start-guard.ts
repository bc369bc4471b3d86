/** Wires the guard: looks its engine over, makes what acts on it, and listens only when all of that can be had. */
import type { ConfigOf } from '@sallyport/shared/config';
import { AppError } from '@sallyport/shared/errors';
import type { PlainContext } from '@sallyport/shared/plain-service';
import { readLentDirectories, type CONFIG } from './config.ts';
import { createContainerActs, type ContainerActs } from './containers/container-acts.ts';
import { createContainers, type CreateContainer } from './containers/create-container.ts';
import { createFreezer, thaw } from './containers/freezer.ts';
import { readImageList } from './containers/image-list.ts';
import { createOverlayVolumes } from './containers/volumes.ts';
import { createEngineClient, type EngineClient } from './engine/engine-client.ts';
import { InfoSchema, VersionSchema, type EngineInfo } from './engine/engine-types.ts';
import { createOwnContainers, type OwnContainers } from './engine/own-containers.ts';
import { createGuardServer } from './guard-server.ts';
import { createLeases } from './leases.ts';
import { createReaper } from './reaper.ts';
import { createRoutes } from './routes.ts';
import { judgeEngine, type JudgedEngine } from './start/judge-engine.ts';
import { listenOn } from './start/listen.ts';
import { probeOverlay } from './start/probe-overlay.ts';
import { takeRoot } from './start/take-root.ts';
import { createWorkspaceStore } from './workspace/workspace-store.ts';

type GuardConfig = ConfigOf<(typeof CONFIG)['values'], (typeof CONFIG)['secrets']>;
type GuardContext = PlainContext<GuardConfig>;

/**
 * Starts the guard. @returns what to do when it stops.
 * @throws AppError `bad_config` with the mend, `unavailable` when the engine does not answer.
 */
export async function startGuard(context: GuardContext): Promise<() => Promise<void>> {
  const { config, deployment, log, every } = context;
  await takeRoot(config.GUARD_ROOT);
  const { info, judged } = await lookAtEngine(config);
  for (const problem of judged.warnings)
    log.warn({ problem }, 'the engine is weaker than it could be');
  const engine = createEngineClient(config.ENGINE_SOCKET, judged.version);
  const containers = createOwnContainers(engine, deployment);
  const volumes = createOverlayVolumes(engine, deployment);
  const store = createWorkspaceStore(config.GUARD_ROOT, judged.owner);
  const leases = createLeases(config.LEASE_SECONDS * 1_000);
  const freezer = createFreezer(engine, containers);
  const acts = createContainerActs({ engine, containers, volumes, store, freezer });
  const images = await readImageList(engine, config.IMAGES);
  const create = createContainers({
    ...{ engine, containers, volumes, store, images, leases },
    wall: wallOf(context, info, judged),
    places: {
      rootOnHost: config.GUARD_ROOT_ON_HOST ?? config.GUARD_ROOT,
      lentDirectories: readLentDirectories(config.LENT_DIRECTORIES) ?? new Map(),
    },
    ceilings: {
      memoryBytes: config.MAX_MEMORY_BYTES,
      cpus: config.MAX_CPUS,
      processes: config.MAX_PIDS,
      containers: config.MAX_CONTAINERS,
    },
  });
  await thawAll(engine, containers);
  await probe({ create, acts, store }, config);
  const routes = createRoutes({
    ...{ deployment, create, acts, containers, leases, store },
    about: aboutEngine(config, info),
  });
  const guard = createGuardServer({ routes, attach: { engine, containers }, log });
  await listenOn(guard.server, config.GUARD_SOCKET, config.SOCKET_GID);
  const reap = createReaper({ engine, deployment, containers, volumes, acts, leases, log });
  every('reap', config.REAP_SECONDS * 1_000, reap);
  // Sandboxes run on, and are found again by whoever comes after; only the ways to them end.
  return () => guard.end();
}

async function lookAtEngine(
  config: GuardConfig,
): Promise<{ info: EngineInfo; judged: JudgedEngine }> {
  const engine = createEngineClient(config.ENGINE_SOCKET, '');
  const [info, version] = await Promise.all(
    ['/info', '/version'].map(async (path) => (await engine.call({ method: 'GET', path })).json),
  );
  const said = InfoSchema.parse(info);
  const judged = judgeEngine(said, VersionSchema.parse(version), {
    runtime: config.RUNTIME,
    userns: config.USERNS,
    uid: config.SANDBOX_UID,
    gid: config.SANDBOX_GID,
  });
  return { info: said, judged };
}

function wallOf({ config, deployment }: GuardContext, info: EngineInfo, { hasInit }: JudgedEngine) {
  return {
    deployment,
    uid: config.SANDBOX_UID,
    gid: config.SANDBOX_GID,
    // More than there are is refused by the engine.
    cpus: Math.min(config.MAX_CPUS, info.NCPU),
    hasInit,
    ...(config.RUNTIME === undefined ? {} : { runtime: config.RUNTIME }),
  };
}

function aboutEngine(config: GuardConfig, info: EngineInfo): Record<string, unknown> {
  return {
    ServerVersion: info.ServerVersion,
    Driver: info.Driver,
    NCPU: info.NCPU,
    SecurityOptions: info.SecurityOptions ?? [],
    Runtime: config.RUNTIME ?? null,
    Images: config.IMAGES,
  };
}

/** A guard that was killed between a hold and its release leaves containers that would never end. */
async function thawAll(engine: EngineClient, containers: OwnContainers): Promise<void> {
  for (const { Id, State } of await containers.list('running')) {
    if (State === 'paused') await thaw(engine, Id);
  }
}

async function probe(
  means: {
    create: CreateContainer;
    acts: ContainerActs;
    store: ReturnType<typeof createWorkspaceStore>;
  },
  { IMAGES: [image] }: GuardConfig,
): Promise<void> {
  if (image === undefined) throw new AppError('bad_config', 'IMAGES: names no image');
  await probeOverlay({ ...means, image });
}
