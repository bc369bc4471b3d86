/** What bubblewrap is on this machine: most make sandboxes without privileges, some only as a set-user-id program. */
import { statSync } from 'node:fs';

const BWRAP = '/usr/bin/bwrap';
const SET_USER_ID = 0o4000;

/** Whether bubblewrap works only for processes that may gain privileges. False too where there is none: nothing is lost. */
export function sandboxNeedsPrivileges(program: string = BWRAP): boolean {
  const stat = statSync(program, { throwIfNoEntry: false });
  return stat !== undefined && (stat.mode & SET_USER_ID) !== 0;
}
