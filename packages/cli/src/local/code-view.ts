/**
 * Lets processes of other OS users run a checkout that lies where they cannot go, such as root's home directory: each of
 * them finds it, read-only, at a short place below /tmp, in a mount namespace of its own. The checkout itself, its modes
 * and what other programs see stay as they are, and nothing has to be undone. Where that is impossible, the start is
 * refused with the mend; running everything as one user instead would take the walls down.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { AppError } from '@sallyport/shared/errors';
import { bindArguments, identityArguments, type Bind } from './bound-process.ts';
import type { OsAccount } from './os-account.ts';

const CHECKOUT = join(import.meta.dirname, '..', '..', '..', '..');
const LOADER = fileURLToPath(import.meta.resolve('tsx'));
/** Whatever of these is readable stands for the rest. */
const SAMPLES = ['package.json', 'services/intake/src/main.ts', 'packages/shared/src/service.ts'];
const READABLE = 'for file; do test -r "$file" || exit 1; done';

export interface CodeView {
  /** The root of the checkout as the processes find it. */
  readonly root: string;
  /** What has to be bound for them; undefined when they find the checkout where it is. */
  readonly bind: Bind | undefined;
}

/**
 * How the account gets at the code. `temporaryDir` is an existing directory that it can enter.
 * @throws AppError `unavailable` with the mend when it cannot.
 */
export function viewCode(
  account: OsAccount | undefined,
  temporaryDir: string,
  checkout: string = CHECKOUT,
): CodeView {
  const plain = { root: checkout, bind: undefined };
  if (account === undefined || canRead(account, filesIn(checkout))) return plain;
  if (!canRead(account, [process.execPath])) {
    throw new AppError(
      'unavailable',
      `Node.js at ${process.execPath} cannot be run by the OS users of the processes: install it where every user can, such as /usr/local`,
    );
  }
  const target = join(temporaryDir, 'checkout');
  mkdirSync(target, { recursive: true, mode: 0o755 });
  const bind = { source: checkout, target };
  if (canRead(account, filesIn(target), bind)) return { root: target, bind };
  throw new AppError(
    'unavailable',
    `the OS users of the processes cannot read ${checkout}: make its files readable (chmod -R go+rX ${checkout}) or clone it anew with umask 022; if they are readable, this root may not mount: clone it to a directory that every user can enter, such as /opt`,
  );
}

/** The command that runs a TypeScript main without a build step, from whatever directory. */
export function nodeCommand(main: string, code?: CodeView): [string, ...string[]] {
  const root = code?.root ?? CHECKOUT;
  const loader = pathToFileURL(loaderIn(root)).href;
  return [process.execPath, '--disable-proto=delete', '--import', loader, join(root, main)];
}

function filesIn(root: string): string[] {
  return [...SAMPLES.map((file) => join(root, file)), loaderIn(root)];
}

function loaderIn(root: string): string {
  return root === CHECKOUT ? LOADER : join(root, relative(CHECKOUT, LOADER));
}

function canRead(account: OsAccount, files: readonly string[], bind?: Bind): boolean {
  const argv = [
    ...bindArguments(bind),
    'setpriv',
    ...identityArguments(account),
    '--',
    '/bin/sh',
    '-c',
    READABLE,
    'sh',
    ...files,
  ];
  const [program = 'setpriv', ...rest] = argv;
  return spawnSync(program, rest, { stdio: 'ignore', cwd: '/' }).status === 0;
}
