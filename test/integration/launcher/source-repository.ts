/** A repository on this machine whose commits the test hands to launchers as a publisher would, and where bundles are tried. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const ENV = {
  PATH: '/usr/bin:/bin',
  HOME: '/nonexistent',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_AUTHOR_NAME: 'Test',
  GIT_AUTHOR_EMAIL: 'test@localhost',
  GIT_COMMITTER_NAME: 'Test',
  GIT_COMMITTER_EMAIL: 'test@localhost',
};

export interface SourceRepository {
  sha: string;
  tree: string;
  /** The pack of the whole history. */
  pack: Buffer;
  /** What a bundle changes: verified and fetched by git, then the names and the content of its branch. */
  applyBundle(
    bundle: Buffer,
    branch: string,
  ): { head: string; parent: string; files: Record<string, string> };
}

export function createSourceRepository(
  directory: string,
  files: Readonly<Record<string, string>>,
): SourceRepository {
  const repo = join(directory, 'origin');
  mkdirSync(repo);
  function git(args: readonly string[], input?: string): Buffer {
    return execFileSync('/usr/bin/git', ['-C', repo, ...args], {
      env: ENV,
      input,
      maxBuffer: 64 * 1024 * 1024,
    });
  }
  function text(args: readonly string[]): string {
    return git(args).toString().trim();
  }
  git(['init', '-q', '-b', 'main']);
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(repo, path)), { recursive: true });
    writeFileSync(join(repo, path), content);
  }
  git(['add', '-A']);
  git(['commit', '-q', '-m', 'first']);
  git(['commit', '-q', '--allow-empty', '-m', 'second']);
  const sha = text(['rev-parse', 'HEAD']);
  return {
    sha,
    tree: text(['rev-parse', 'HEAD^{tree}']),
    pack: git(['pack-objects', '--revs', '--stdout', '-q'], `${sha}\n`),
    applyBundle(bundle, branch) {
      const file = join(directory, `${branch.replaceAll('/', '-')}.bundle`);
      writeFileSync(file, bundle);
      git(['bundle', 'verify', '-q', file]);
      git(['fetch', '-q', file, `refs/heads/${branch}:refs/heads/${branch}`]);
      const names = text(['ls-tree', '-r', '--name-only', branch]).split('\n');
      return {
        head: text(['rev-parse', branch]),
        parent: text(['rev-parse', `${branch}^`]),
        files: Object.fromEntries(
          names.map((name) => [name, git(['show', `${branch}:${name}`]).toString()]),
        ),
      };
    },
  };
}
