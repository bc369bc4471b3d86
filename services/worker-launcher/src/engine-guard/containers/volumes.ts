/** Overlays as volumes of the engine: made for one container, mounted while it runs, removed after it. */
import { randomBytes } from 'node:crypto';
import { AppError, errorCodeOf } from '@sallyport/shared/errors';
import type { EngineClient } from '../engine/engine-client.ts';
import { VolumeListSchema } from '../engine/engine-types.ts';
import { LABEL_DEPLOYMENT, LABEL_LEASE, type Labels } from './container-labels.ts';

export interface OverlayVolumes {
  /** Makes one of these mount options; its name. */
  make(options: string, lease: string): Promise<string>;
  /** Removes them; one that is not there is fine. @throws AppError `conflict` while a container has one. */
  remove(names: readonly string[]): Promise<void>;
  /** Those that no container has, not even one that is being made. */
  listUnused(): Promise<{ name: string; labels: Labels }[]>;
  /** Says that what was made is in a container, or will never be. */
  settle(names: readonly string[]): void;
}

export function createOverlayVolumes(engine: EngineClient, deployment: string): OverlayVolumes {
  /** Made, and not yet in a container. */
  const fresh = new Set<string>();
  return {
    async make(options, lease) {
      const name = `sallyport-${deployment}-${randomBytes(12).toString('hex')}`;
      fresh.add(name);
      const made = engine.call({
        method: 'POST',
        path: '/volumes/create',
        body: {
          Name: name,
          Driver: 'local',
          DriverOpts: { type: 'overlay', device: 'overlay', o: options },
          Labels: { [LABEL_DEPLOYMENT]: deployment, [LABEL_LEASE]: lease },
        },
      });
      await made.catch((error: unknown) => {
        // Whether it was made is not known: the reaper looks.
        fresh.delete(name);
        throw error;
      });
      return name;
    },
    async remove(names) {
      for (const name of names) {
        try {
          await engine.call({ method: 'DELETE', path: `/volumes/${name}` });
        } catch (error) {
          if (errorCodeOf(error) !== 'not_found') throw error;
        }
      }
    },
    async listUnused() {
      const filters = { label: [`${LABEL_DEPLOYMENT}=${deployment}`], dangling: ['true'] };
      const { json } = await engine.call({
        method: 'GET',
        path: '/volumes',
        query: { filters: JSON.stringify(filters) },
      });
      return (VolumeListSchema.parse(json).Volumes ?? [])
        .map(({ Name, Labels }) => ({ name: Name, labels: Labels ?? {} }))
        .filter(({ name, labels }) => labels[LABEL_DEPLOYMENT] === deployment && !fresh.has(name));
    },
    settle(names) {
      for (const name of names) fresh.delete(name);
    },
  };
}

const OVERLAY_NAME = /^sallyport-[a-z0-9_]{1,24}-[0-9a-f]{24}$/;

/** @throws AppError `internal` for what cannot be the name of such a volume. */
export function requireVolumeName(name: string): string {
  if (OVERLAY_NAME.test(name)) return name;
  throw new AppError('internal', 'a container names a volume that is none of the guard');
}
