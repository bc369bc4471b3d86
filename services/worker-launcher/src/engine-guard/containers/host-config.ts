/**
 * The wall, as an engine is told of it: the whole body of a create, made from what was parsed and from nothing else. Every
 * field that weakens a container is written here with its strong value, also where that is the engine's default.
 */
import type { CreateBody } from './create-body.ts';
import type { Lent } from './container-labels.ts';
import { LABEL_DEPLOYMENT, LABEL_LENT, LABEL_VOLUMES } from './container-labels.ts';
import type { PlannedMount } from './plan-mounts.ts';
import { SYSTEM_CALL_PROFILE } from './system-calls.ts';

const MIB = 1024 * 1024;
const HOME = '/home/agent';
const SCRATCH = 'rw,exec,nosuid,nodev';
const NANO = 1e9;

/** What holds for every container of this guard. */
export interface WallSettings {
  deployment: string;
  uid: number;
  gid: number;
  /** For who asks for none. */
  cpus: number;
  /** Absent: the engine's default. */
  runtime?: string;
  /** Whether the engine has a program to be the first process, that passes signals on and buries what is left. */
  hasInit: boolean;
}

export interface ContainerParts {
  body: CreateBody;
  /** By id, as the engine knows it. */
  imageId: string;
  lent: Lent;
  mounts: readonly (Exclude<PlannedMount, { kind: 'volume' }> | NamedVolume)[];
}
/** A volume that was made for this container. */
export interface NamedVolume {
  kind: 'volume';
  name: string;
  target: string;
  readOnly: boolean;
}

/** The body for the engine. */
export function containerBody(parts: ContainerParts, wall: WallSettings): Record<string, unknown> {
  const { body, imageId, mounts } = parts;
  const [program = '', ...words] = body.Cmd;
  return {
    Image: imageId,
    User: `${wall.uid}:${wall.gid}`,
    // As entry point, because the image's own would stand before it otherwise.
    Entrypoint: [program],
    Cmd: words,
    Env: body.Env,
    WorkingDir: body.WorkingDir,
    Labels: labelsOf(parts, wall),
    Hostname: 'sandbox',
    Tty: false,
    OpenStdin: body.OpenStdin,
    StdinOnce: body.OpenStdin,
    AttachStdin: body.OpenStdin,
    AttachStdout: true,
    AttachStderr: true,
    NetworkDisabled: true,
    // A health check of the image would be a second program in the sandbox.
    Healthcheck: { Test: ['NONE'] },
    HostConfig: {
      ...isolation(wall),
      ...bounds(body, wall),
      Tmpfs: scratch(parts, wall),
      Mounts: mounts.flatMap(engineMount),
    },
  };
}

function isolation({ runtime, hasInit }: WallSettings): Record<string, unknown> {
  return {
    Privileged: false,
    ReadonlyRootfs: true,
    CapAdd: [],
    CapDrop: ['ALL'],
    SecurityOpt: ['no-new-privileges:true', `seccomp=${SYSTEM_CALL_PROFILE}`],
    NetworkMode: 'none',
    IpcMode: 'private',
    PidMode: '',
    UTSMode: '',
    UsernsMode: '',
    CgroupnsMode: 'private',
    PublishAllPorts: false,
    Devices: [],
    VolumesFrom: [],
    Links: [],
    GroupAdd: [],
    AutoRemove: false,
    RestartPolicy: { Name: 'no', MaximumRetryCount: 0 },
    LogConfig: { Type: 'none', Config: {} },
    Init: hasInit,
    ...(runtime === undefined ? {} : { Runtime: runtime }),
  };
}

function bounds({ Limits }: CreateBody, wall: WallSettings): Record<string, unknown> {
  const { memoryBytes, processes, fileBytes, openFiles } = Limits;
  return {
    Memory: memoryBytes,
    // Memory and swap together: none of it is swap.
    MemorySwap: memoryBytes,
    OomKillDisable: false,
    PidsLimit: processes,
    NanoCpus: Math.round((Limits.cpus ?? wall.cpus) * NANO),
    ShmSize: quarter(memoryBytes),
    Ulimits: [
      { Name: 'fsize', Soft: fileBytes, Hard: fileBytes },
      { Name: 'nofile', Soft: openFiles, Hard: openFiles },
      { Name: 'core', Soft: 0, Hard: 0 },
    ],
  };
}

/** Scratch space in memory, which counts as the container's own. */
function scratch({ body, mounts }: ContainerParts, wall: WallSettings): Record<string, string> {
  const { memoryBytes, tmpBytes } = body.Limits;
  // The owner as well: some runtimes give such a place the mode of the directory that the image has there.
  const owner = `uid=${wall.uid},gid=${wall.gid}`;
  const fixed: Record<string, string> = {
    '/tmp': `${SCRATCH},size=${tmpBytes},mode=1777,${owner}`,
    '/var/tmp': `${SCRATCH},size=${quarter(memoryBytes)},mode=1777,${owner}`,
    '/run': `${SCRATCH},size=${16 * MIB},mode=0755,${owner}`,
    [HOME]: `${SCRATCH},size=${quarter(memoryBytes)},mode=0700,${owner}`,
  };
  for (const mount of mounts) {
    // Whatever else is laid there lies over it, and the engine takes a place but once.
    delete fixed[mount.target];
    if (mount.kind !== 'tmpfs') continue;
    fixed[mount.target] = `${SCRATCH},size=${mount.sizeBytes},mode=0755,${owner}`;
  }
  return fixed;
}

function engineMount(mount: ContainerParts['mounts'][number]): object[] {
  switch (mount.kind) {
    case 'bind':
      return [
        {
          Type: 'bind',
          Source: mount.source,
          Target: mount.target,
          ReadOnly: mount.readOnly,
          BindOptions: { Propagation: 'rprivate' },
        },
      ];
    case 'volume':
      return [
        {
          Type: 'volume',
          Source: mount.name,
          Target: mount.target,
          ReadOnly: mount.readOnly,
          // Otherwise the engine mounts it already when the container is made, and writes what the image has there into it.
          VolumeOptions: { NoCopy: true },
        },
      ];
    case 'tmpfs':
      return [];
  }
}

function labelsOf(
  { body, lent, mounts }: ContainerParts,
  wall: WallSettings,
): Record<string, string> {
  const given = Object.entries(body.Labels).map(([key, value]) => [`sallyport.${key}`, value]);
  const volumes = mounts.flatMap((mount) => (mount.kind === 'volume' ? [mount.name] : []));
  return {
    ...(Object.fromEntries(given) as Record<string, string>),
    [LABEL_DEPLOYMENT]: wall.deployment,
    [LABEL_LENT]: JSON.stringify(lent),
    [LABEL_VOLUMES]: JSON.stringify(volumes),
  };
}

function quarter(bytes: number): number {
  return Math.floor(bytes / 4);
}
