/**
 * The programs that this package may start, by absolute path, so that no search path decides which binary reads a
 * hostile object or sees a token.
 */

export const GIT = '/usr/bin/git';
export const PRLIMIT = '/usr/bin/prlimit';
export const BWRAP = '/usr/bin/bwrap';
export const FLOCK = '/usr/bin/flock';
export const SHELL_PATH = '/usr/bin:/bin';
