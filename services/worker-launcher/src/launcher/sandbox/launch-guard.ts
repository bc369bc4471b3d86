/**
 * Ends what bubblewrap cannot: it ties its life to the launcher's only some milliseconds after its start. A launcher that
 * is killed just then would leave it behind, waiting for ever for a reader of its report. One small process per launcher
 * waits for the launcher's death and ends the process groups that were registered.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Writable } from 'node:stream';

// Its standard input is the only thing that it holds of the launcher, and the end of it is the signal.
const WAIT_FOR_DEATH = `
declare -A directories
read -r scratch
while read -r act group paths; do
  if [ "$act" = add ]; then directories[$group]=$paths; else unset "directories[$group]"; left+=" $paths"; fi
done
for group in "\${!directories[@]}"; do
  [[ $group = announced-* ]] || kill -KILL -- "-$group" 2>/dev/null
done
rm -rf -- "$scratch"
for (( try = 0; try < 80; try++ )); do
  stuck=no
  for directory in \${directories[@]} $left; do
    [ -d "$directory" ] || continue
    # Whatever is in the group is the sandbox's, also what was never registered; the dying stay in it for a moment.
    while read -r pid; do kill -KILL "$pid"; done 2>/dev/null < "$directory/cgroup.procs"
    rmdir "$directory" 2>/dev/null || stuck=yes
  done
  [ $stuck = no ] && break
  if [ $try -lt 20 ]; then sleep 0.1; else sleep 1; fi
done
`;

export interface LaunchGuard {
  /** Registers control groups that are about to be made; the returned function takes them off again. */
  announce(directories: readonly string[]): () => void;
  /**
   * Registers the process group of a sandbox, and the control groups to be removed with it; the returned function takes
   * them off again, but for those that are still to be removed.
   */
  protect(group: number, directories: readonly string[]): (left: readonly string[]) => void;
  /** A directory for files that live for a moment; it goes when the launcher does, however that ends. */
  scratch(): string;
}

/** Creates a guard that starts its process with the first registration and keeps nobody's event loop alive. */
export function createLaunchGuard(): LaunchGuard {
  let guard: ChildProcess | undefined;
  let scratch: string | undefined;
  let announced = 0;

  function tell(line: string): void {
    if (guard === undefined) {
      scratch ??= mkdtempSync(join(tmpdir(), 'sandboxes-'));
      guard = start();
      guard.stdin?.write(`${scratch}\n`);
    }
    guard.stdin?.write(line);
  }

  function start(): ChildProcess {
    const child = spawn('/bin/bash', ['--norc', '--noprofile', '-c', WAIT_FOR_DEATH], {
      cwd: '/',
      env: { PATH: '/usr/bin:/bin' },
      // Out of the launcher's process group, or a signal to that would end the guard before its time.
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    child.unref();
    (child.stdin as Writable & { unref?: () => void }).unref?.();
    child.stdin.on('error', () => undefined);
    const forget = (): void => {
      if (guard === child) guard = undefined;
    };
    child.once('error', forget);
    child.once('exit', forget);
    return child;
  }

  return {
    scratch() {
      tell('');
      return scratch ?? tmpdir();
    },
    announce(directories) {
      announced += 1;
      const name = `announced-${announced}`;
      tell(`add ${name} ${directories.join(' ')}\n`);
      return () => tell(`remove ${name}\n`);
    },
    protect(group, directories) {
      tell(`add ${group} ${directories.join(' ')}\n`);
      return (left) => tell(`remove ${group} ${left.join(' ')}\n`);
    },
  };
}
