/** Git over HTTP with a real git: who gets in, what may be fetched, and what a push is refused for. */
import { randomBytes } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  createDirectory,
  createWorld,
  runClientGit,
  type Directory,
  type GitRun,
  type World,
} from './test-world.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

let world: World;
let directory: Directory;
let clone: string;
let token: string;

beforeAll(async () => {
  world = await createWorld({
    maxBlobBytes: 3 * 1024 * 1024,
    permissions: { metadata: 'read', contents: 'write', workflows: 'write' },
  });
});
beforeEach(async () => {
  directory = await createDirectory();
  clone = join(directory.path, 'clone');
  token = await world.mint({ contents: 'write' });
  await git(directory.path, ['clone', '-q', world.repo.cloneUrl, clone]);
});
afterEach(async () => {
  await directory.remove();
  world.github.clearFaults();
  world.github.assertClean();
});
afterAll(() => world.close());

async function git(cwd: string, args: readonly string[], as: string = token): Promise<string> {
  const run = await runClientGit(cwd, args, as);
  expect({ ...run, args }).toMatchObject({ code: 0 });
  return run.stdout.trim();
}

async function commitFile(path: string, content: string | Buffer): Promise<string> {
  await mkdir(dirname(join(clone, path)), { recursive: true });
  await writeFile(join(clone, path), content);
  await git(clone, ['add', '-A']);
  await git(clone, ['commit', '-q', '-m', `Add ${path}`]);
  return git(clone, ['rev-parse', 'HEAD']);
}

function push(branch: string, ...options: string[]): Promise<GitRun> {
  return runClientGit(
    clone,
    ['push', '--porcelain', ...options, 'origin', `HEAD:refs/heads/${branch}`],
    token,
  );
}

describe('who gets in', () => {
  const listRefs = (as?: string): Promise<GitRun> =>
    runClientGit(directory.path, ['ls-remote', world.repo.cloneUrl], as);

  it('asks the nameless for a name, refuses a wrong token, hides what a token does not cover', async () => {
    expect(await listRefs()).toMatchObject({
      code: 128,
      stderr: expect.stringContaining('could not read Username'),
    });
    const named = world.repo.cloneUrl.replace('://', '://x-access-token:ghs_wrong@');
    const wrong = await runClientGit(directory.path, ['ls-remote', named]);
    expect(wrong).toMatchObject({
      code: 128,
      stderr: expect.stringContaining('Authentication failed'),
    });
    const hidden = await world.github.addRepo({ owner: 'acme', name: 'hidden' });
    const run = await runClientGit(directory.path, ['ls-remote', hidden.cloneUrl], token);
    expect(run).toMatchObject({ code: 128, stderr: expect.stringContaining('not found') });
    expect(await listRefs(token)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('refs/heads/main'),
    });
  });

  it('lets a token that may only read fetch and not push', async () => {
    token = await world.mint({ contents: 'read' });
    expect(await listRefs(token)).toMatchObject({ code: 0 });
    await commitFile('a.txt', 'a\n');
    expect(await push('agent/read-only')).toMatchObject({
      code: 128,
      stderr: expect.stringContaining('403'),
    });
    expect(await world.github.branches(world.repo)).not.toHaveProperty('agent/read-only');
  });
});

describe('fetching', () => {
  it('gives a shallow pack of exactly the commit that was named by its SHA', async () => {
    const first = await world.github.commit({
      repo: world.repo,
      branch: 'deep',
      files: { 'd.txt': '1\n' },
    });
    await world.github.commit({ repo: world.repo, branch: 'deep', files: { 'd.txt': '2\n' } });
    const bare = join(directory.path, 'bare');
    await git(directory.path, ['init', '-q', '--bare', bare]);
    await git(bare, ['fetch', '-q', '--depth=1', '--no-tags', world.repo.cloneUrl, first]);
    expect(await git(bare, ['rev-parse', 'FETCH_HEAD'])).toBe(first);
    expect(await git(bare, ['rev-list', '--count', 'FETCH_HEAD'])).toBe('1');
  });

  it('speaks protocol version 2 and filters blobs away', async () => {
    const partial = join(directory.path, 'partial');
    await git(directory.path, [
      'clone',
      '-q',
      '--bare',
      '--filter=blob:none',
      world.repo.cloneUrl,
      partial,
    ]);
    expect(await git(partial, ['rev-list', '--objects', '--missing=print', 'main'])).toContain('?');
    const asked = world.github
      .requests()
      .filter((one) => one.face === 'git' && one.path.endsWith('/git-upload-pack'));
    expect(asked.at(-1)?.headers['git-protocol']).toBe('version=2');
  });

  it('keeps the head of a pull request from a fork in the base repository', async () => {
    const fork = await world.github.addRepo({ owner: 'mallory', name: 'shop', forkOf: world.repo });
    const sha = await world.github.commit({
      repo: fork,
      branch: 'patch',
      files: { 'p.txt': 'p\n' },
    });
    const pull = await world.github.addPull({
      repo: world.repo,
      headRepo: fork,
      head: 'patch',
      title: 'Fork',
      by: 'mallory',
    });
    expect(await git(clone, ['ls-remote', 'origin', `refs/pull/${pull.number}/head`])).toContain(
      sha,
    );
  });
});

describe('pushing', () => {
  it('records who pushed what with which permissions', async () => {
    const sha = await commitFile('b.txt', 'b\n');
    expect(await push('agent/good')).toMatchObject({ code: 0 });
    expect(world.github.pushes().at(-1)).toMatchObject({
      via: 'git',
      fullName: 'acme/shop',
      refusal: null,
      permissions: { contents: 'write' },
      commands: [{ ref: 'refs/heads/agent/good', after: sha, ok: true }],
    });
  });

  it('takes a pack of more than a megabyte, which git sends in chunks without a length', async () => {
    await commitFile('big.bin', randomBytes(2 * 1024 * 1024));
    expect(await push('agent/chunked')).toMatchObject({ code: 0 });
    const request = world.github
      .requests()
      .findLast((one) => one.path.endsWith('/git-receive-pack') && one.method === 'POST');
    expect(request?.headers).not.toHaveProperty('content-length');
  });

  it('creates under an empty lease once, and refuses the second time', async () => {
    await commitFile('c.txt', 'c\n');
    const lease = '--force-with-lease=refs/heads/agent/lease:';
    expect(await push('agent/lease', lease)).toMatchObject({ code: 0 });
    await commitFile('c.txt', 'changed\n');
    expect(await push('agent/lease', lease)).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('stale info'),
    });
  });

  it('refuses a branch below an existing branch of that name', async () => {
    await world.github.commit({ repo: world.repo, branch: 'taken', files: { 't.txt': 't\n' } });
    await commitFile('e.txt', 'e\n');
    expect(await push('taken/below')).toMatchObject({ code: 1 });
    expect(await push('free/below')).toMatchObject({ code: 0 });
  });

  it('refuses workflow files without the workflows permission, and takes them with it', async () => {
    await commitFile('.github/workflows/ci.yml', 'on: push\n');
    const refused = await push('agent/workflow');
    expect(refused).toMatchObject({ code: 1 });
    expect(refused.stderr).toContain(
      'refusing to allow a GitHub App to create or update workflow `.github/workflows/ci.yml` without `workflows` permission',
    );
    expect(world.github.pushes().at(-1)?.commands).toMatchObject([{ ok: false }]);
    token = await world.mint({ contents: 'write', workflows: 'write' });
    expect(await push('agent/workflow')).toMatchObject({ code: 0 });
  });

  it('refuses an update that only brings along a workflow file which the base gained meanwhile', async () => {
    await commitFile('f.txt', 'f\n');
    expect(await push('agent/old-base')).toMatchObject({ code: 0 });
    await world.github.commit({
      repo: world.repo,
      branch: 'main',
      files: { '.github/workflows/new.yml': 'on: push\n' },
    });
    await git(clone, ['fetch', '-q', 'origin']);
    await git(clone, ['merge', '-q', '--no-edit', 'origin/main']);
    expect(await push('agent/old-base')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('workflows'),
    });
  });

  it('refuses a file above the size limit with GH001', async () => {
    await commitFile('huge.bin', randomBytes(3 * 1024 * 1024 + 1));
    expect(await push('agent/huge')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('GH001'),
    });
  });

  it('refuses the protected default branch with GH013, and takes it when nothing protects it', async () => {
    await git(clone, ['pull', '-q', 'origin', 'main']);
    await commitFile('g.txt', 'g\n');
    const refused = await push('main');
    expect(refused).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(
        'GH013: Repository rule violations found for refs/heads/main',
      ),
    });
    expect(refused.stderr).toContain('Changes must be made through a pull request.');
    world.github.setProtection(world.repo, 'none');
    expect(await push('main')).toMatchObject({ code: 0 });
    world.github.setProtection(world.repo, 'protected');
  });

  it('refuses what a `creation` rule covers, unless the App may bypass it', async () => {
    const rule = {
      repo: world.repo,
      rules: [{ type: 'creation' }],
      include: ['refs/heads/agent/**'],
    };
    const id = world.github.setRuleset(rule);
    await commitFile('h.txt', 'h\n');
    expect(await push('agent/created')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('creations being restricted'),
    });
    expect(await push('other/created')).toMatchObject({ code: 0 });
    world.github.setRuleset({ ...rule, id, bypass: 'always' });
    expect(await push('agent/created')).toMatchObject({ code: 0 });
    world.github.removeRuleset(world.repo, id);
  });

  it('refuses in words that a test gives, and loses a reply after the push took effect', async () => {
    const sha = await commitFile('i.txt', 'i\n');
    world.github.fault({
      match: 'git-push',
      refusePush: ['error: GH013: Push cannot contain secrets'],
    });
    expect(await push('agent/secret')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('Push cannot contain secrets'),
    });
    world.github.fault({ match: 'git-push', cut: 'after' });
    expect((await push('agent/lost')).code).not.toBe(0);
    expect((await world.github.branches(world.repo))['agent/lost']).toBe(sha);
    world.github.fault({ match: 'git-push', cut: 'before' });
    expect((await push('agent/never')).code).not.toBe(0);
    expect(await world.github.branches(world.repo)).not.toHaveProperty('agent/never');
  });

  it('moves the head of an open pull request', async () => {
    await world.github.commit({
      repo: world.repo,
      branch: 'agent/pull',
      files: { 'j.txt': 'j\n' },
      from: 'main',
    });
    const pull = await world.github.addPull({
      repo: world.repo,
      head: 'agent/pull',
      title: 'Pull',
      by: 'alice',
    });
    await git(clone, ['fetch', '-q', 'origin']);
    await git(clone, ['checkout', '-q', 'origin/agent/pull']);
    const sha = await commitFile('k.txt', 'k\n');
    expect(await push('agent/pull')).toMatchObject({ code: 0 });
    const after = (await world.github.pulls(world.repo)).find(
      (one) => one['number'] === pull.number,
    );
    expect(after).toMatchObject({ head: { sha }, commits: 2 });
  });
});
