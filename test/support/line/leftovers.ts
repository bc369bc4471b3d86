/**
 * What a line that rests has no business to have: processes besides its own, directories of steps, unfinished repositories
 * and packs, temporary files. Found by looking at the machine, not by asking the processes.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ServiceName } from '@sallyport/cli/local/process-table';
import { SECOND } from './second-processes.ts';
import type { Line } from './start-line.ts';

/** Programs that stay as long as their process does: its loader's, the holder of a lock, the guard of the launcher. */
const COMPANIONS = new Set(['cat', 'bash', 'esbuild']);
const KEPT = /^(?:base-[0-9a-f]{64}|import-child\.mjs|sallyport\.lock)$/;

/** One line for each thing that is left over. */
export function findLeftovers(line: Line): string[] {
  const { processes } = line.deployment;
  const statesOf = (name: ServiceName): string[] => {
    const dir = processes.find((one) => one.name === name)?.places.stateDir ?? '';
    return [dir, `${dir}${SECOND}`];
  };
  const inside = (name: ServiceName, part: string): string[] =>
    statesOf(name).flatMap((dir) => list(join(dir, part)));
  return [
    ...strayProcesses(line),
    ...inside('worker-launcher', 'runs'),
    ...inside('publisher', 'scratch').filter(isNotKept),
    ...inside('importer', 'imports').filter(isNotKept),
    ...processes.flatMap(({ places: { temporaryDir } }) =>
      [temporaryDir, `${temporaryDir}${SECOND}`].flatMap(temporaryFiles),
    ),
  ];
}

function isNotKept(path: string): boolean {
  return !KEPT.test(path.slice(path.lastIndexOf('/') + 1));
}

function temporaryFiles(root: string): string[] {
  // The launcher that lives has one empty directory for the guard to remove.
  const [first, ...more] = list(root);
  if (first === undefined) return [];
  const isGuards = /\/sandboxes-[^/]+$/.test(first) && list(first).length === 0;
  return isGuards ? more : [first, ...more];
}

/** How many sandboxes the launcher has at this moment: of agents and of collectors. */
export function countSandboxes({ deployment }: Line): number {
  const launcher = deployment.processes.find(({ name }) => name === 'worker-launcher');
  const uid = launcher?.account?.uid ?? process.getuid?.();
  return listProcesses().filter((one) => one.uid === uid && one.name === 'bwrap').length;
}

interface ProcessFacts {
  readonly pid: number;
  readonly parent: number;
  readonly uid: number;
  readonly name: string;
}

function strayProcesses({ deployment }: Line): string[] {
  const { processes, supervisor } = deployment;
  const names = processes.flatMap(({ name }) => [name, `${name}${SECOND}`]);
  const mains = new Set(names.map((name) => supervisor.pidOf(name)));
  const accounts = processes.flatMap(({ account }) => (account === undefined ? [] : [account.uid]));
  // Without a user for each process only the programs of sandboxes tell ours from the rest of the machine.
  const isOurs = ({ uid, name }: ProcessFacts): boolean =>
    accounts.length > 0 ? accounts.includes(uid) : uid === process.getuid?.() && name === 'bwrap';
  return listProcesses()
    .filter(isOurs)
    .filter(
      ({ pid, parent, name }) => !mains.has(pid) && !(mains.has(parent) && COMPANIONS.has(name)),
    )
    .map(({ pid, parent, name }) => `process ${pid} ${name} (child of ${parent})`);
}

function listProcesses(): ProcessFacts[] {
  return readdirSync('/proc')
    .filter((name) => /^[0-9]+$/.test(name))
    .flatMap((name) => {
      try {
        const status = readFileSync(`/proc/${name}/status`, 'utf8');
        const field = (key: string): string =>
          new RegExp(`^${key}:\\s+(\\S+)`, 'm').exec(status)?.[1] ?? '';
        if (field('State') === 'Z') return [];
        return [
          {
            pid: Number(name),
            parent: Number(field('PPid')),
            uid: Number(field('Uid')),
            name: field('Name'),
          },
        ];
      } catch {
        // It ended meanwhile.
        return [];
      }
    });
}

function list(dir: string): string[] {
  try {
    return readdirSync(dir).map((name) => join(dir, name));
  } catch {
    return [];
  }
}
