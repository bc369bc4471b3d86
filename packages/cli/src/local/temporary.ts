/**
 * Temporary directories with short names, removed when their process ends: at exit, on Ctrl-C, on a crash; and, for an
 * owner that was killed outright, by the next process that asks for one. Short, because a unix socket's whole path must
 * stay below 108 bytes, and the usual temporary directory of some machines is longer than that by itself.
 */
import {
  chmodSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { hasEnded, ownIdentity, type ProcessIdentity } from './process-identity.ts';

const ROOT = '/tmp';
const PREFIX = 'sp-';
const NAME = /^sp-[A-Za-z0-9]{6}$/;
const OWNER_FILE = 'owner.json';
/** A directory without an owner file is being made right now, unless it is older than this. */
const UNOWNED_GRACE_MS = 60_000;
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

const ownerSchema = z.object({ pid: z.number(), startTime: z.string(), namespace: z.string() });
const owned = new Set<string>();
let hooked = false;

export interface TemporaryDirectory {
  readonly path: string;
  /** Removes the directory and all in it now; doing it again is harmless. */
  remove(): void;
}

/**
 * Makes a directory of this process under /tmp (mode 0711: other OS users of the same deployment reach the sockets whose
 * names they know, and can list nothing), after removing those that ended processes of this user left behind.
 */
export function createTemporaryDirectory(root: string = ROOT): TemporaryDirectory {
  sweepTemporaryDirectories(root);
  hookExit();
  const path = mkdtempSync(join(root, PREFIX));
  owned.add(path);
  writeFileSync(join(path, OWNER_FILE), JSON.stringify(ownIdentity()), { mode: 0o600 });
  chmodSync(path, 0o711);
  return { path, remove: () => removeOwned(path) };
}

/** Removes this user's directories whose owner has ended; returns their paths. */
export function sweepTemporaryDirectories(root: string = ROOT): string[] {
  const removed: string[] = [];
  for (const name of readdirSync(root)) {
    if (!NAME.test(name)) continue;
    const path = join(root, name);
    try {
      if (!sweep(path)) continue;
      removed.push(path);
    } catch {
      // Another process sweeps the same directory, or its last child still writes there: the next sweep gets it.
    }
  }
  return removed;
}

/** Removes the directory if its owner has ended; says whether it did. */
function sweep(path: string): boolean {
  const stat = lstatSync(path);
  // Anyone may make a directory of this name; only our own user's are ours to judge, also for root.
  if (!stat.isDirectory() || stat.uid !== process.getuid?.()) return false;
  const owner = readOwner(path);
  if (owner === undefined) {
    // Somebody stopped between making it and signing it, so it is empty; with something in it, it is not one of ours.
    if (Date.now() - stat.mtimeMs <= UNOWNED_GRACE_MS) return false;
    rmdirSync(path);
    return true;
  }
  if (!hasEnded(owner)) return false;
  rmSync(path, { recursive: true, force: true });
  return true;
}

function readOwner(path: string): ProcessIdentity | undefined {
  try {
    return ownerSchema.parse(JSON.parse(readFileSync(join(path, OWNER_FILE), 'utf8')));
  } catch {
    return undefined;
  }
}

function removeOwned(path: string): void {
  rmSync(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
  owned.delete(path);
}

function removeAll(): void {
  for (const path of owned) {
    try {
      removeOwned(path);
    } catch {
      // The process is ending; what cannot be removed now is swept at the next start.
    }
  }
}

function hookExit(): void {
  if (hooked) return;
  hooked = true;
  process.on('exit', removeAll);
  for (const signal of SIGNALS) process.once(signal, endBySignal);
}

function endBySignal(signal: NodeJS.Signals): void {
  // Where the program handles the signal itself, it ends in its own time and the exit hook removes the directories.
  if (process.listenerCount(signal) > 0) return;
  removeAll();
  process.kill(process.pid, signal);
}
