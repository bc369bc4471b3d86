/**
 * Turns a specification into what the engine's guard is asked for. Everything that makes the wall (user, capabilities,
 * network, seccomp …) is the guard's own and cannot be said here: a launcher that was taken over has no words for it.
 */
import { basename, relative } from 'node:path';
import { AppError } from '@sallyport/shared/errors';
import { checkSpec } from './check-spec.ts';
import type { SandboxMount, SandboxSpec } from './driver.ts';

export type GuardMount =
  | { kind: 'directory'; name: string; target: string; readOnly: boolean }
  | {
      kind: 'overlay';
      layers: string[];
      view: string;
      target: string;
      readOnly: boolean;
    }
  | { kind: 'tmpfs'; target: string; sizeBytes: number }
  /** A directory of the host that the guard's operator lends by this name. */
  | { kind: 'lent'; name: string; target: string };

/** The body of a create, as the guard parses it. */
export interface GuardCreate {
  Image: string;
  Cmd: readonly string[];
  Env: string[];
  WorkingDir: string;
  Labels: Record<string, string>;
  Limits: {
    memoryBytes: number;
    processes: number;
    fileBytes: number;
    openFiles: number;
    tmpBytes: number;
  };
  Mounts: GuardMount[];
  OpenStdin: boolean;
}

export interface DockerPlace {
  image: string;
  /** The launcher's state directory: what lies below it, lies below the guard's root by the same name. */
  stateDir: string;
}

/** Carried by the image, where the guard's list of images vouches for them; nothing of this host is lent. */
const ROLES_IN_IMAGE: ReadonlySet<string> = new Set(['agent', 'collector']);
const ID = /^[a-zA-Z0-9][a-zA-Z0-9_.-]{0,199}$/;

/**
 * The body for this specification.
 * @throws AppError `bad_input` that names the part of it which cannot be had of an engine.
 */
export function guardCreate(spec: SandboxSpec, { image, stateDir }: DockerPlace): GuardCreate {
  checkSpec(spec);
  if (!ID.test(spec.id)) {
    throw new AppError('bad_input', `sandbox "${spec.id}": its id cannot name a container`);
  }
  const { memoryBytes, processes, fileBytes, openFiles } = spec.limits;
  return {
    Image: image,
    Cmd: spec.argv,
    Env: Object.entries(spec.env).map(([name, value]) => `${name}=${value}`),
    WorkingDir: spec.cwd,
    Labels: { ...spec.labels },
    Limits: {
      memoryBytes,
      processes,
      fileBytes,
      openFiles,
      tmpBytes: Math.floor(memoryBytes / 2),
    },
    Mounts: spec.mounts
      .filter((mount) => !ROLES_IN_IMAGE.has(mount.role))
      .map((mount) => guardMount(mount, stateDir)),
    OpenStdin: spec.stdin !== undefined,
  };
}

/** Where the sandbox's own writes land, by the names that the guard knows: what `diskBytes` bounds. */
export function writtenDirectories(body: Pick<GuardCreate, 'Mounts'>): string[] {
  return body.Mounts.flatMap((mount) => {
    if (mount.kind === 'tmpfs' || mount.kind === 'lent' || mount.readOnly) return [];
    return mount.kind === 'overlay' ? [mount.view] : [mount.name];
  });
}

/**
 * The name of a path for the guard.
 * @throws AppError `bad_input` for a path that is not below the state directory.
 */
export function nameInWorkspace(path: string, stateDir: string): string {
  const name = relative(stateDir, path);
  if (name === '' || name.startsWith('..')) {
    throw new AppError(
      'bad_input',
      `${path} is not below ${stateDir}: an engine is lent nothing but the launcher's own directories`,
    );
  }
  return name;
}

function guardMount(mount: SandboxMount, stateDir: string): GuardMount {
  switch (mount.kind) {
    case 'bind':
      // Where it lies on the host is the guard's to know; what it is called is seen inside.
      if (mount.role === 'registry') {
        return { kind: 'lent', name: basename(mount.target), target: mount.target };
      }
      return {
        kind: 'directory',
        name: nameInWorkspace(mount.source, stateDir),
        target: mount.target,
        readOnly: mount.access === 'read_only',
      };
    case 'overlay':
      return {
        kind: 'overlay',
        layers: mount.layers.map((layer) => nameInWorkspace(layer, stateDir)),
        view: nameInWorkspace(mount.view, stateDir),
        target: mount.target,
        readOnly: mount.access === 'read_only',
      };
    case 'tmpfs':
      return { kind: 'tmpfs', target: mount.target, sizeBytes: mount.sizeBytes };
  }
}
