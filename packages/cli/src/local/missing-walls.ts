/** What this machine or this user cannot enforce, in words: somebody who runs without a wall must know it. */
import { isRoot } from './os-account.ts';

/** One sentence per missing wall; empty when all stand. */
export function missingWalls(): string[] {
  if (isRoot()) return [];
  return [
    'all processes run under one OS user, so a process that is taken over could read the files of the others, the App key among them; start as root to give each its own user',
  ];
}
