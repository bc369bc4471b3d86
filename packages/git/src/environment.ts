/**
 * The environment and the configuration of every git child: built from constants, never inherited, so that no user,
 * system or repository setting can name a program, a remote or a credential. The launcher's collectors use the same
 * constants inside their sandboxes.
 */
import { SHELL_PATH } from './programs.ts';

/** Which transport a child may use; `loopback_http` exists for servers of tests and is bound to loopback addresses. */
export type GitProtocol = 'none' | 'https' | 'loopback_http';

/**
 * Whose objects a child reads. `hostile`: written by an agent, where one oversized object is an attack. `source`:
 * served by GitHub for a repository that may well hold large files.
 */
export type GitOrigin = 'hostile' | 'source';

export interface GitEnvironmentOptions {
  /** The bare repository to work in; absent for commands that need none. */
  gitDir?: string;
  protocol?: GitProtocol;
  origin?: GitOrigin;
  /** Absolute path of the program that answers git's question for a password. */
  askpass?: string;
  /** Further variables for that program; never a secret. */
  extra?: Readonly<Record<string, string>>;
}

const ALLOWED_PROTOCOL: Readonly<Record<GitProtocol, string>> = {
  none: 'none',
  https: 'https',
  loopback_http: 'http',
};

// A blob of an 828-byte bundle can claim 1.5 GiB; git dies at this limit before it allocates.
const ALLOCATION_LIMIT: Readonly<Record<GitOrigin, string>> = { hostile: '64m', source: '256m' };

/** The complete environment of one git child. */
export function gitEnvironment(options: GitEnvironmentOptions = {}): Record<string, string> {
  const askpass = options.askpass ?? '/bin/false';
  return {
    PATH: SHELL_PATH,
    HOME: '/nonexistent',
    XDG_CONFIG_HOME: '/nonexistent',
    LC_ALL: 'C',
    TZ: 'UTC',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_SYSTEM: '/dev/null',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_ATTR_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
    GIT_ASKPASS: askpass,
    SSH_ASKPASS: '/bin/false',
    GIT_SSH_COMMAND: '/bin/false',
    GIT_EDITOR: '/bin/false',
    GIT_PAGER: 'cat',
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_NO_LAZY_FETCH: '1',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_LITERAL_PATHSPECS: '1',
    GIT_PROTOCOL_FROM_USER: '0',
    GIT_ALLOW_PROTOCOL: ALLOWED_PROTOCOL[options.protocol ?? 'none'],
    GIT_ALLOC_LIMIT: ALLOCATION_LIMIT[options.origin ?? 'hostile'],
    GIT_CEILING_DIRECTORIES: '/',
    ...(options.gitDir === undefined ? {} : { GIT_DIR: options.gitDir }),
    ...options.extra,
  };
}

/** Configuration that holds for every child, as `name=value`. */
export const FIXED_CONFIG: readonly string[] = [
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  'core.useReplaceRefs=false',
  'core.protectHFS=true',
  'core.protectNTFS=true',
  'core.symlinks=false',
  'core.attributesFile=/dev/null',
  'core.excludesFile=/dev/null',
  'core.alternateRefsCommand=/bin/true',
  'core.commitGraph=false',
  // Mapped pack windows count against the address-space limit; without a bound a large source pack would use it up.
  'core.packedGitWindowSize=16m',
  'core.packedGitLimit=128m',
  'gc.auto=0',
  'maintenance.auto=false',
  'pack.threads=1',
  'protocol.allow=never',
  'transfer.fsckObjects=true',
  'fetch.fsckObjects=true',
  'receive.fsckObjects=true',
  'submodule.recurse=false',
  'fetch.recurseSubmodules=false',
  'push.recurseSubmodules=no',
  'push.followTags=false',
  'push.gpgSign=false',
  'commit.gpgSign=false',
  'log.showSignature=false',
  'diff.renames=false',
  'diff.external=',
  'diff.ignoreSubmodules=none',
  'credential.helper=',
  'http.followRedirects=false',
  'safe.bareRepository=explicit',
];

const ORIGIN_CONFIG: Readonly<Record<GitOrigin, readonly string[]>> = {
  // With the usual threshold a big blob is streamed and never meets the allocation limit.
  hostile: ['core.bigFileThreshold=100g'],
  source: [
    'core.bigFileThreshold=64m',
    'fetch.unpackLimit=1',
    // Warts that old tools left in real histories and that do no harm in a bare repository.
    'fetch.fsck.zeroPaddedFilemode=warn',
    'fetch.fsck.badTimezone=warn',
    'fetch.fsck.badDateOverflow=warn',
    'fetch.fsck.missingSpaceBeforeDate=warn',
    'fetch.fsck.missingNameBeforeEmail=warn',
    'fetch.fsck.missingSpaceBeforeEmail=warn',
    'fetch.fsck.missingEmail=warn',
    'fetch.fsck.badEmail=warn',
    'fetch.fsck.badName=warn',
    'fetch.fsck.multipleAuthors=warn',
    'fetch.fsck.gitmodulesUrl=warn',
    'fetch.fsck.gitmodulesPath=warn',
    'fetch.fsck.gitmodulesName=warn',
    'fetch.fsck.gitmodulesParse=warn',
    'fetch.fsck.gitmodulesUpdate=warn',
    'fetch.fsck.gitmodulesSymlink=warn',
  ],
};

/** What stands between `git` and the subcommand: global options and every setting, each as `-c name=value`. */
export function gitGlobalArguments(
  origin: GitOrigin = 'hostile',
  extraConfig: readonly string[] = [],
): string[] {
  const settings = [...FIXED_CONFIG, ...ORIGIN_CONFIG[origin], ...extraConfig];
  return [
    '--no-pager',
    '--literal-pathspecs',
    '--no-replace-objects',
    ...settings.flatMap((setting) => ['-c', setting]),
  ];
}
