/** A repository of many small files for the benchmarks, made with git by its full name, as its owner would. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const FILES_PER_DIRECTORY = 50;
const DIRECTORIES_PER_AREA = 40;

export interface BenchProject {
  directory: string;
  head: string;
  git(args: readonly string[], input?: string): Buffer;
  pack(): Buffer;
}

/** Makes `files` files of some hundred bytes each, committed once. */
export function makeProject(directory: string, files: number): BenchProject {
  mkdirSync(directory, { recursive: true });
  function git(args: readonly string[], input?: string): Buffer {
    return execFileSync('/usr/bin/git', args, {
      cwd: directory,
      env: {
        PATH: '/usr/bin:/bin',
        HOME: '/nonexistent',
        GIT_CONFIG_NOSYSTEM: '1',
        GIT_AUTHOR_NAME: 'bench',
        GIT_AUTHOR_EMAIL: 'bench@localhost',
        GIT_COMMITTER_NAME: 'bench',
        GIT_COMMITTER_EMAIL: 'bench@localhost',
      },
      stdio: ['pipe', 'pipe', 'pipe'],
      maxBuffer: 2 ** 30,
      ...(input === undefined ? {} : { input }),
    });
  }
  git(['init', '-q', '-b', 'main']);
  for (let i = 0; i < files; i += 1) {
    const folder = Math.floor(i / FILES_PER_DIRECTORY);
    const area = Math.floor(folder / DIRECTORIES_PER_AREA);
    const parent = join(directory, `area-${area}`, `part-${folder}`);
    if (i % FILES_PER_DIRECTORY === 0) mkdirSync(parent, { recursive: true });
    writeFileSync(join(parent, `file-${i}.js`), `${`export const value${i} = ${i};\n`.repeat(8)}`);
  }
  writeFileSync(join(directory, '.gitignore'), 'node_modules/\n');
  git(['add', '-A']);
  git(['commit', '-q', '-m', 'many files']);
  // Packed, as a clone is: thousands of loose objects would slow down whatever this is compared with.
  git(['repack', '-adq']);
  return {
    directory,
    head: git(['rev-parse', 'HEAD']).toString().trim(),
    git,
    pack: () => git(['pack-objects', '-q', '--stdout', '--revs'], 'HEAD\n'),
  };
}
