/**
 * Overlays for sandboxes of an unprivileged launcher: made in a user and mount namespace that bubblewrap is then started
 * in, because the bubblewrap of many distributions cannot make them itself. The mounts live and die with the sandbox, so
 * that a launcher which is killed leaves nothing mounted.
 */
import { mkdir } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { AppError } from '@sallyport/shared/errors';
import type { OverlayMount, SandboxMount } from './driver.ts';

const MERGED = 'merged';
const UPPER = 'upper';
const WORK = 'work';

// Options are one string with separators of its own. Relative names keep whatever stands above the launcher's directory
// out of it; what is left must need no quoting.
const PLAIN = /^[A-Za-z0-9._/-]+$/;

// `exec -c`: nothing of this environment is meant for bubblewrap.
const MOUNT_AND_START = `
while [ "$1" != -- ]; do
  cd -- "$1" && /usr/bin/mount -n -i -t overlay overlay -o "$2" ${MERGED} || exit 125
  shift 2
done
shift; cd /; exec -c "$@"`;

/** Where the overlay is mounted, for the sandbox's own eyes. */
export function mergedDirectory({ view }: Pick<OverlayMount, 'view'>): string {
  return join(view, MERGED);
}

/** What was changed through this view. */
export function upperDirectory(view: string): string {
  return join(view, UPPER);
}

/** Makes the directories that the overlays need. */
export async function makeViews(mounts: readonly SandboxMount[]): Promise<void> {
  for (const { view, access } of mounts.filter(isOverlay)) {
    const names = access === 'read_only' ? [MERGED] : [MERGED, UPPER, WORK];
    for (const name of names) await mkdir(join(view, name), { recursive: true });
  }
}

/**
 * The program, with its arguments, that mounts the overlays and goes on as the program that stands behind them; empty
 * when there are none.
 * @throws AppError `bad_input` when a layer has a name that cannot be given to the kernel.
 */
export function overlayPrelude(mounts: readonly SandboxMount[]): string[] {
  const overlays = mounts.filter(isOverlay);
  if (overlays.length === 0) return [];
  return [
    ...['/usr/bin/unshare', '--user', '--map-root-user', '--mount', '--'],
    ...['/bin/bash', '--norc', '--noprofile', '-c', MOUNT_AND_START, 'overlays'],
    ...overlays.flatMap((overlay) => [overlay.view, optionsOf(overlay)]),
    '--',
  ];
}

function optionsOf({ layers, view, access, role }: OverlayMount): string {
  const lower = layers.map((layer) => relative(view, layer));
  const unfit = lower.find((name) => !PLAIN.test(name));
  if (unfit !== undefined || lower.length === 0) {
    const what = unfit === undefined ? 'no layer' : `the layer "${unfit}"`;
    throw new AppError('bad_input', `mount ${role}: ${what} cannot be laid into an overlay`);
  }
  // Without an index a layer may be looked at while an earlier overlay over it is still being taken down.
  const options = [`lowerdir=${lower.join(':')}`, 'userxattr', 'index=off'];
  if (access === 'read_write') options.push(`upperdir=${UPPER}`, `workdir=${WORK}`);
  return options.join(',');
}

function isOverlay(mount: SandboxMount): mount is OverlayMount {
  return mount.kind === 'overlay';
}
