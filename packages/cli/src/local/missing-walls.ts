/** What this machine or this user cannot enforce, in words: somebody who runs without a wall must know it. */
import { isRoot } from './os-account.ts';
import { sandboxNeedsPrivileges } from './sandbox-program.ts';

/** One sentence per missing wall; empty when all stand. */
export function missingWalls(): string[] {
  const missing: string[] = [];
  if (!isRoot()) {
    missing.push(
      'all processes run under one OS user, so a process that is taken over could read the files of the others, the App key among them; start as root to give each its own user',
    );
  }
  if (sandboxNeedsPrivileges()) {
    missing.push(
      'bubblewrap is a set-user-id program on this machine, so the processes may gain privileges; allow unprivileged user namespaces and take that bit away (chmod u-s /usr/bin/bwrap)',
    );
  }
  return missing;
}
