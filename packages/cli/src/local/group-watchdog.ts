/**
 * Ends whole process groups after the death of the process that kept them, however sudden. The kernel's own parent-death
 * signal reaches direct children only; what those had started would live on. So a shell of a few lines holds the other
 * end of a pipe, is told which groups there are, and kills them when the pipe breaks.
 */
import { spawn } from 'node:child_process';

const SCRIPT = `
trap '' INT TERM HUP
groups=
while read -r act group; do
  case $act in
    keep) groups="$groups $group" ;;
    drop)
      left=
      for each in $groups; do [ "$each" = "$group" ] || left="$left $each"; done
      groups=$left ;;
  esac
done
for each in $groups; do kill -s KILL -- "-$each" 2>/dev/null; done
`;

export interface GroupWatchdog {
  /** From now on this group dies with us. A group is known by the pid of the process that leads it. */
  keep(group: number): void;
  /** The group has ended; its number may come to mean another one. */
  drop(group: number): void;
  /** Ends the watchdog; groups that are still kept are killed. */
  close(): void;
}

/** Starts a watchdog for this process; it does not keep the event loop alive. */
export function startGroupWatchdog(): GroupWatchdog {
  const child = spawn('/bin/sh', ['-c', SCRIPT], {
    env: { PATH: '/usr/bin:/bin' },
    cwd: '/',
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  const { stdin } = child;
  // It may have been killed: then the parent-death signal is all there is, and writing to it is no error of ours.
  stdin.on('error', () => undefined);
  child.on('error', () => undefined);
  child.unref();
  if ('unref' in stdin && typeof stdin.unref === 'function') stdin.unref();
  return {
    keep: (group) => void stdin.write(`keep ${group}\n`),
    drop: (group) => void stdin.write(`drop ${group}\n`),
    close: () => void stdin.end(),
  };
}
