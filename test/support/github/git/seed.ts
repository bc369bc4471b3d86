/** Makes bare repositories and puts commits into them without the rules of a push: the state that a test starts from. */
import { mkdir, writeFile, chmod, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { git, gitText } from './run-git.ts';
import {
  readCommit,
  writeBlob,
  writeCommit,
  writeTree,
  type Person,
  type TreeChange,
} from './objects.ts';

/** A file's content, or content with a git mode (`100755`, `120000`, `160000` with a SHA as content). null removes it. */
export type FileContent =
  | string
  | Buffer
  | { readonly content: string | Buffer; readonly mode: string }
  | null;
export type Files = Readonly<Record<string, FileContent>>;

/**
 * Fetches by SHA and partial clones are allowed as on GitHub, pushes over HTTP are on, `refs/pull/*` can be read but not
 * pushed. Automatic maintenance is off because its background process would outlive the stand-in.
 */
const CONFIG = [
  ['http.receivepack', 'true'],
  ['uploadpack.allowAnySHA1InWant', 'true'],
  ['uploadpack.allowReachableSHA1InWant', 'true'],
  ['uploadpack.allowTipSHA1InWant', 'true'],
  ['uploadpack.allowFilter', 'true'],
  ['receive.hideRefs', 'refs/pull'],
  ['receive.denyDeleteCurrent', 'ignore'],
  ['receive.autogc', 'false'],
  ['gc.auto', '0'],
  ['maintenance.auto', 'false'],
  ['core.logAllRefUpdates', 'false'],
] as const;

export async function initBare(
  gitDir: string,
  defaultBranch: string,
  hooksDir: string,
): Promise<void> {
  await mkdir(gitDir, { recursive: true });
  await git(gitDir, [
    'init',
    '-q',
    '--bare',
    '--template=',
    `--initial-branch=${defaultBranch}`,
    gitDir,
  ]);
  for (const [name, value] of CONFIG) await git(gitDir, ['config', name, value]);
  await mkdir(join(gitDir, 'hooks'), { recursive: true });
  await symlink(join(hooksDir, 'pre-receive'), join(gitDir, 'hooks', 'pre-receive'));
}

/**
 * The hook only forwards what it was told to the stand-in, which decides with its whole state at hand. It is plain
 * JavaScript because Node starts it directly, once per push.
 */
const FORWARDER = `
import { request } from 'node:http';
import { readFileSync } from 'node:fs';
const env = process.env;
const body = JSON.stringify({
  push: env.STANDIN_PUSH,
  commands: readFileSync(0, 'utf8'),
  objects: env.GIT_OBJECT_DIRECTORY ?? null,
  alternates: env.GIT_ALTERNATE_OBJECT_DIRECTORIES ?? null,
});
const call = request(env.STANDIN_URL, { method: 'POST', headers: { 'x-standin-secret': env.STANDIN_SECRET } }, (reply) => {
  let text = '';
  reply.on('data', (part) => (text += part));
  reply.on('end', () => {
    const answer = JSON.parse(text);
    process.stderr.write(answer.message);
    process.exitCode = answer.allow === true && reply.statusCode === 200 ? 0 : 1;
  });
});
call.on('error', (error) => {
  process.stderr.write('stand-in unreachable: ' + error.message);
  process.exitCode = 1;
});
call.end(body);
`;

/** Writes the hook that every repository of one stand-in shares. */
export async function writeHooks(hooksDir: string): Promise<void> {
  await mkdir(hooksDir, { recursive: true });
  await writeFile(join(hooksDir, 'forward.mjs'), FORWARDER);
  const quote = (path: string): string => `'${path.replaceAll("'", `'\\''`)}'`;
  const script = `#!/bin/sh\nexec ${quote(process.execPath)} ${quote(join(hooksDir, 'forward.mjs'))}\n`;
  await writeFile(join(hooksDir, 'pre-receive'), script);
  await chmod(join(hooksDir, 'pre-receive'), 0o755);
}

export interface SeedCommit {
  readonly files: Files;
  readonly message: string;
  /** null: a root commit from nothing. */
  readonly parent: string | null;
  readonly author: Person;
}

export async function seedCommit(gitDir: string, commit: SeedCommit): Promise<string> {
  const changes: TreeChange[] = [];
  for (const [path, file] of Object.entries(commit.files)) {
    if (file === null) {
      changes.push({ path, mode: '0', sha: null });
      continue;
    }
    const { content, mode } =
      typeof file === 'string' || Buffer.isBuffer(file) ? { content: file, mode: '100644' } : file;
    const sha =
      mode === '160000' ? content.toString() : await writeBlob(gitDir, Buffer.from(content));
    changes.push({ path, mode, sha });
  }
  const base = commit.parent === null ? null : (await readCommit(gitDir, commit.parent)).tree;
  const tree = await writeTree(gitDir, base, changes);
  return writeCommit(gitDir, {
    tree,
    parents: commit.parent === null ? [] : [commit.parent],
    author: commit.author,
    committer: commit.author,
    message: commit.message,
    signature: null,
  });
}

/** Copies a commit and all that it needs from one repository of the stand-in to another. */
export async function copyCommit(fromDir: string, toDir: string, sha: string): Promise<void> {
  const pack = await git(fromDir, ['pack-objects', '--revs', '--stdout', '-q'], {
    input: `${sha}\n`,
  });
  await gitText(toDir, ['index-pack', '--stdin', '--fix-thin'], { input: pack });
}
