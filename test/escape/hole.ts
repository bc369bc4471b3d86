/** A bubblewrap sandbox exactly like the driver's but for one wall: the same options, one of them left out. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  bubblewrapOptions,
  limitedProgram,
  WALL_OPTIONS,
} from '../../services/worker-launcher/src/launcher/sandbox/bubblewrap-arguments.ts';
import { BUBBLEWRAP_PATH } from '../../services/worker-launcher/src/launcher/sandbox/bubblewrap-driver.ts';
import { shellSpec } from '../../services/worker-launcher/src/launcher/sandbox/sandbox-fixture.ts';
import { systemCallFilter } from '../../services/worker-launcher/src/launcher/sandbox/system-call-filter.ts';
import type { Wall } from './probe.ts';
import type { World } from './world.ts';

/** The namespaces of `--unshare-all`, each by its own name. */
const NAMESPACES = [
  { name: 'network', option: '--unshare-net' },
  { name: 'processes', option: '--unshare-pid' },
  { name: 'messages', option: '--unshare-ipc' },
  { name: 'host_name', option: '--unshare-uts' },
  { name: 'control_groups', option: '--unshare-cgroup-try' },
] as const;

const WITH_FILTER = 'exec 5<"$1"; shift; exec "$@"';

/** The command that runs `argv` behind the wall with this hole. */
export function commandWithHole(
  wall: Wall,
  argv: readonly [string, ...string[]],
  world: World,
): string[] {
  const spec = shellSpec('', { argv });
  const options = bubblewrapOptions(spec, { forbidNestedUserNamespaces: wall !== 'namespaces' });
  const atEnd = options.lastIndexOf('--remount-ro');
  if (wall === 'read_only_root') options.splice(atEnd, 2);
  if (wall === 'mounts') options.splice(atEnd, 0, '--ro-bind', world.directory, world.directory);
  const wallOptions = WALL_OPTIONS.flatMap((option) => withHole(option, wall));
  const rest = [...wallOptions, ...options, '--', ...limitedProgram(spec)];
  if (wall === 'filter') return [BUBBLEWRAP_PATH, ...rest];
  const file = join(world.directory, 'filter');
  writeFileSync(file, systemCallFilter({ memoryIsSampled: true }) ?? '');
  return [
    '/bin/bash',
    '--norc',
    '-c',
    WITH_FILTER,
    'bash',
    file,
    BUBBLEWRAP_PATH,
    '--seccomp',
    '5',
    ...rest,
  ];
}

function withHole(option: string, wall: Wall): string[] {
  if (option === '--clearenv' && wall === 'environment') return [];
  if (option !== '--unshare-all') return [option];
  return NAMESPACES.filter(({ name }) => name !== wall).map(({ option: own }) => own);
}
