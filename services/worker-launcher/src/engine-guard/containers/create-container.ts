/**
 * Makes a container from what a launcher may say about it. Directories and volumes are made first; when the engine refuses
 * the container, nothing of it is left.
 */
import { AppError } from '@sallyport/shared/errors';
import type { EngineClient } from '../engine/engine-client.ts';
import { CreatedSchema } from '../engine/engine-types.ts';
import type { OwnContainers } from '../engine/own-containers.ts';
import type { Leases } from '../leases.ts';
import type { WorkspaceStore } from '../workspace/workspace-store.ts';
import { parseCreateBody, type Ceilings } from './create-body.ts';
import { containerBody, type ContainerParts, type WallSettings } from './host-config.ts';
import type { ImageList } from './image-list.ts';
import { planMounts, type MountPlan, type Places } from './plan-mounts.ts';
import type { OverlayVolumes } from './volumes.ts';

const NAME = /^[a-zA-Z0-9][a-zA-Z0-9_.-]{0,199}$/;

export interface CreateMeans {
  engine: EngineClient;
  containers: OwnContainers;
  volumes: OverlayVolumes;
  store: WorkspaceStore;
  images: ImageList;
  leases: Leases;
  wall: WallSettings;
  places: Places;
  ceilings: Ceilings & { containers: number };
}

export interface CreatedContainer {
  Id: string;
  Warnings: string[];
}

export type CreateContainer = (name: string, value: unknown) => Promise<CreatedContainer>;

/** The name that an engine knows a container by: no deployment can take another's. */
export function nameOnEngine(deployment: string, name: string): string {
  return `sallyport-${deployment}.${name}`;
}

/** The launcher's own name for a container that the engine lists so. */
export function nameForLauncher(deployment: string, listed: string): string {
  return listed.replace(/^\//, '').replace(`sallyport-${deployment}.`, '');
}

/** Creates what makes containers. Its calls reject with what `parseCreateBody`, `planMounts` and the engine say. */
export function createContainers(means: CreateMeans): CreateContainer {
  const { engine, containers, volumes, store, images, leases, wall, places, ceilings } = means;
  let making = 0;

  async function requireRoom(): Promise<void> {
    const { length } = await containers.list('all');
    if (length + making <= ceilings.containers) return;
    throw new AppError(
      'unavailable',
      `${ceilings.containers} containers are there already, and no more may be`,
    );
  }

  async function prepare({ views, leftLayers, lent }: MountPlan): Promise<void> {
    for (const view of views) await store.makeView(view);
    for (const layer of leftLayers) await store.openLayer(layer);
    for (const name of [...lent.reads, ...lent.writes]) await store.requireDirectory(name);
  }

  async function makeVolumes(
    plan: MountPlan,
    lease: string,
    made: string[],
  ): Promise<ContainerParts['mounts']> {
    const mounts: ContainerParts['mounts'][number][] = [];
    for (const mount of plan.mounts) {
      if (mount.kind !== 'volume') {
        mounts.push(mount);
        continue;
      }
      const name = await volumes.make(mount.options, lease);
      made.push(name);
      mounts.push({ kind: 'volume', name, target: mount.target, readOnly: mount.readOnly });
    }
    return mounts;
  }

  async function make(name: string, value: unknown): Promise<CreatedContainer> {
    const body = parseCreateBody(value, ceilings);
    const imageId = images.idOf(body.Image);
    const plan = planMounts(body.Mounts, places);
    leases.renew(body.Labels.lease);
    await requireRoom();
    await prepare(plan);
    const made: string[] = [];
    try {
      const mounts = await makeVolumes(plan, body.Labels.lease, made);
      const { json } = await engine.call({
        method: 'POST',
        path: '/containers/create',
        query: { name: nameOnEngine(wall.deployment, name) },
        body: containerBody({ body, imageId, lent: plan.lent, mounts }, wall),
      });
      const { Id, Warnings } = CreatedSchema.parse(json);
      return { Id, Warnings: Warnings ?? [] };
    } catch (error) {
      // Where even that fails the reaper finds them.
      await volumes.remove(made).catch(() => undefined);
      throw error;
    } finally {
      volumes.settle(made);
    }
  }

  return async (name, value) => {
    if (!NAME.test(name)) {
      throw new AppError(
        'bad_input',
        'name: a container needs one of letters, digits, "_", "." and "-"',
      );
    }
    making += 1;
    try {
      return await make(name, value);
    } finally {
      making -= 1;
    }
  };
}
