/**
 * What the mounts of a create mean: which directories must be there, which overlays are to be made, and what the container
 * can change. Pure, so that a test can read off that no word of a launcher becomes part of a path unchecked.
 */
import { join } from 'node:path';
import { AppError } from '@sallyport/shared/errors';
import { isBelow, requireName } from '../workspace/names.ts';
import type { Lent } from './container-labels.ts';
import type { RequestedMount } from './create-body.ts';

/** A page holds all options of a mount, and the kernel cuts off what is more. */
const MAX_OPTIONS = 4_000;

/** A mount as the host-config builder takes it. */
export type PlannedMount =
  | { kind: 'bind'; source: string; target: string; readOnly: boolean }
  | { kind: 'volume'; options: string; target: string; readOnly: boolean }
  | { kind: 'tmpfs'; target: string; sizeBytes: number };

export interface MountPlan {
  mounts: readonly PlannedMount[];
  lent: Lent;
  /** Views whose directories are made before the container is. */
  views: readonly string[];
  /** Layers that a sandbox left, whose root is opened. */
  leftLayers: readonly string[];
}

export interface Places {
  /** The guard's root by the name that it has for the engine. */
  rootOnHost: string;
  /** Directories of the host that may be read, by name. */
  lentDirectories: ReadonlyMap<string, string>;
}

/**
 * Plans the mounts.
 * @throws AppError `forbidden` for names that cannot be used so, `bad_input` for what no kernel takes.
 */
export function planMounts(requested: readonly RequestedMount[], places: Places): MountPlan {
  const reads = new Set<string>();
  const writes = new Set<string>();
  const views: string[] = [];
  const leftLayers: string[] = [];
  const mounts = requested.map((mount): PlannedMount => {
    switch (mount.kind) {
      case 'tmpfs':
        return mount;
      case 'lent':
        return {
          kind: 'bind',
          source: lentDirectory(mount.name, places),
          target: mount.target,
          readOnly: true,
        };
      case 'directory': {
        const name = requireName('lent', mount.name);
        (mount.readOnly ? reads : writes).add(name);
        return bind(places, name, mount);
      }
      case 'overlay':
        return planOverlay(mount);
    }
  });
  const lent = {
    reads: [...reads].filter((name) => !writes.has(name)),
    writes: [...writes],
    holding: requested.flatMap((mount) => (holdsAnother(mount, requested) ? namesIn(mount) : [])),
  };
  return { mounts, lent, views, leftLayers };

  function planOverlay(mount: Extract<RequestedMount, { kind: 'overlay' }>): PlannedMount {
    const layers = mount.layers.map((layer) => requireName('layer', layer));
    const view = requireName('view', mount.view);
    for (const layer of layers) {
      reads.add(layer);
      if (layer.endsWith('/upper')) leftLayers.push(layer);
    }
    const [only] = layers;
    // An overlay of a single layer, with nothing to write to, is one that the kernel does not make.
    if (mount.readOnly && only !== undefined && layers.length === 1)
      return bind(places, only, mount);
    if (!mount.readOnly) {
      views.push(view);
      // They are checked as what the engine mounts; what is written lands in the first.
      reads.add(`${view}/work`);
      writes.add(`${view}/upper`);
    }
    const options = overlayOptions(layers, mount.readOnly ? undefined : view, places.rootOnHost);
    return { kind: 'volume', options, target: mount.target, readOnly: mount.readOnly };
  }
}

function holdsAnother({ target }: RequestedMount, all: readonly RequestedMount[]): boolean {
  return all.some((other) => isBelow(other.target, target));
}

function namesIn(mount: RequestedMount): string[] {
  if (mount.kind === 'directory') return [mount.name];
  return mount.kind === 'overlay' ? [`${mount.view}/upper`, ...mount.layers] : [];
}

function bind(
  { rootOnHost }: Places,
  name: string,
  { target, readOnly }: { target: string; readOnly: boolean },
): PlannedMount {
  return { kind: 'bind', source: join(rootOnHost, name), target, readOnly };
}

function lentDirectory(name: string, { lentDirectories }: Places): string {
  const found = lentDirectories.get(name);
  if (found !== undefined) return found;
  const offered = [...lentDirectories.keys()].join(', ') || 'none';
  throw new AppError(
    'forbidden',
    `${JSON.stringify(name.slice(0, 100))} is no directory that is lent here (there are: ${offered})`,
  );
}

/** Redirects and metadata copies would let a layer speak of files elsewhere in the layers below, which collectors do not read. */
function overlayOptions(layers: readonly string[], view: string | undefined, root: string): string {
  const options = [`lowerdir=${layers.map((layer) => join(root, layer)).join(':')}`];
  if (view !== undefined) {
    options.push(`upperdir=${join(root, view, 'upper')}`, `workdir=${join(root, view, 'work')}`);
  }
  options.push('index=off', 'redirect_dir=nofollow', 'metacopy=off');
  const text = options.join(',');
  if (text.length > MAX_OPTIONS)
    throw new AppError('bad_input', 'Mounts: an overlay of too many layers');
  return text;
}
