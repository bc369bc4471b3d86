/**
 * Looks through a running sandbox from outside for credentials: the environment and the command line of each of its
 * processes and every file that they can reach, but for the host's own programs. By value for what is known, by shape for
 * what is not.
 */
import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { scrubSecrets } from '@sallyport/shared/scrub';

export interface Finding {
  /** A variable's or argument's place as `environment` or `arguments`, else the path inside. */
  where: string;
  /** The name of a known secret, or `shape`. */
  what: string;
}

export interface Scan {
  /** Known secrets by name. */
  secrets: Readonly<Record<string, string>>;
  /** Values that may be there. */
  allowed?: readonly string[];
}

/** The host's programs, and what the kernel makes up. */
const NOT_WALKED: ReadonlySet<string> = new Set(['/usr', '/proc', '/sys', '/dev']);
const MAX_BYTES = 16 * 1024 * 1024;

/** The processes that are in a namespace of their own below `ancestor`, on this host's numbers. */
export function sandboxProcesses(ancestor: number): number[] {
  const own = readlinkSync('/proc/self/ns/pid');
  return descendantsOf(ancestor).filter((pid) => {
    const space = attempt(() => readlinkSync(`/proc/${pid}/ns/pid`));
    return space !== undefined && space !== own;
  });
}

/** What was found, each once. */
export function scanSandbox(pids: readonly number[], scan: Scan): Finding[] {
  const findings = new Map<string, Finding>();
  const look = (where: string, text: string): void => {
    for (const what of findIn(text, scan)) findings.set(`${where} ${what}`, { where, what });
  };
  for (const pid of pids) {
    look('environment', readText(`/proc/${pid}/environ`));
    look('arguments', readText(`/proc/${pid}/cmdline`));
  }
  const [first] = pids;
  if (first === undefined) throw new Error('there is no process to look at');
  let files = 0;
  for (const path of filesBelow(`/proc/${first}/root`, '/')) {
    files += 1;
    look(path, readText(`/proc/${first}/root${path}`));
  }
  if (files === 0) throw new Error('no file could be reached: the sandbox has ended');
  return [...findings.values()];
}

/** What of the scan stands in a text. */
export function findIn(text: string, { secrets, allowed = [] }: Scan): string[] {
  let rest = text;
  for (const value of allowed) rest = rest.replaceAll(value, '');
  const known = Object.entries(secrets).filter(([, value]) =>
    [value, Buffer.from(value).toString('base64')].some((form) => rest.includes(form)),
  );
  const names = known.map(([name]) => name);
  return scrubSecrets(rest) === rest ? names : [...names, 'shape'];
}

function* filesBelow(root: string, path: string): Generator<string> {
  if (NOT_WALKED.has(path)) return;
  const entries = attempt(() => readdirSync(`${root}${path}`)) ?? [];
  for (const entry of entries) {
    const inside = join(path, entry);
    const facts = attempt(() => lstatSync(`${root}${inside}`));
    if (facts?.isDirectory() === true) yield* filesBelow(root, inside);
    else if (facts?.isFile() === true && facts.size <= MAX_BYTES) yield inside;
  }
}

function descendantsOf(ancestor: number): number[] {
  const children = readText(`/proc/${ancestor}/task/${ancestor}/children`)
    .split(' ')
    .filter((word) => word !== '')
    .map(Number);
  return children.flatMap((pid) => [pid, ...descendantsOf(pid)]);
}

function readText(path: string): string {
  return attempt(() => readFileSync(path, 'latin1')) ?? '';
}

function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    // It ended or was removed meanwhile.
    return undefined;
  }
}
