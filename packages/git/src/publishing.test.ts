/** From the source to the pushed branch, with real git on both sides of a loopback connection. */
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { buildCommit, type BuildCommitRequest, type BuiltCommit } from './build-commit.ts';
import type { ChangeFact } from './import-facts.ts';
import { fetchSource, withMirroredCommit } from './fetch-source.ts';
import { detectIsolation, type Isolation } from './isolation.ts';
import { initBare } from './quarantine.ts';
import { pushRef, type PushRequest } from './push-ref.ts';
import { runGit } from './run-git.ts';
import { benignBundle, BRANCH_REF, FIXTURE } from './testing/fixture-repository.ts';
import { blob, commit, file, tree } from './testing/object-writer.ts';
import { pack } from './testing/pack-writer.ts';
import { startSmartHttpServer, type SmartHttpServer } from './testing/smart-http-server.ts';

const TOKEN = `ghs_${'123456_eyJhbGciOiJSUzI1NiJ9'.repeat(4)}.body.signature`;
const DATE = new Date('2026-01-02T03:04:05Z');
const older = commit({ tree: FIXTURE.root.oid, message: 'Older than the source' });

// Real processes on a machine that may be busy with others.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

let root: string;
let server: SmartHttpServer;
let isolation: Isolation;
let remoteDir: string;
let mirrorDir: string;
let built: BuiltCommit[] = [];

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'sallyport-git-'));
  server = await startSmartHttpServer(root, TOKEN);
  isolation = await detectIsolation();
});
afterAll(async () => {
  await server.close();
  await rm(root, { recursive: true, force: true });
});

beforeEach(async () => {
  await Promise.all(built.map((b) => b.remove()));
  built = [];
  server.intercept = undefined;
  server.seen = [];
  remoteDir = await mkdtemp(join(root, 'remote-'));
  mirrorDir = await mkdtemp(join(root, 'mirror-'));
  await initBare(remoteDir);
  await writeFile(
    join(remoteDir, 'config'),
    '[http]\n receivepack = true\n[core]\n bare = true\n repositoryformatversion = 0\n',
  );
  await give([older, ...FIXTURE.objects]);
  await setRef('refs/heads/main', FIXTURE.start.oid);
});

async function give(objects: Parameters<typeof pack>[0]): Promise<void> {
  await runGit({ gitDir: remoteDir, args: ['index-pack', '--stdin'], stdin: pack(objects) });
}
async function setRef(ref: string, oid: string): Promise<void> {
  await runGit({ gitDir: remoteDir, args: ['update-ref', ref, oid] });
}
async function refOf(ref: string): Promise<string> {
  return (await readFile(join(remoteDir, ref), 'latin1').catch(() => 'absent')).trim();
}
function remote(): PushRequest['remote'] {
  return { url: server.url(remoteDir.slice(root.length + 1)), protocol: 'loopback_http' };
}
function mirrorRequest() {
  return {
    mirrorDir,
    remote: remote(),
    token: TOKEN,
    commit: FIXTURE.start.oid,
    depth: 2,
    maxPackBytes: 1_000_000,
    isolation,
  };
}
function fetchStart(more: Partial<Parameters<typeof fetchSource>[0]> = {}) {
  return fetchSource({ ...mirrorRequest(), packFile: join(mirrorDir, 'source.pack'), ...more });
}
function benignChanges(): ChangeFact[] {
  const { changed, added } = benignBundle();
  return [
    {
      path: 'src/main.js',
      status: 'modified',
      oldMode: '100644',
      newMode: '100644',
      oldOid: FIXTURE.main.oid,
      newOid: changed.oid,
      oldSize: FIXTURE.main.bytes.length,
      newSize: changed.bytes.length,
    },
    {
      path: 'src/more.txt',
      status: 'added',
      oldMode: '000000',
      newMode: '100644',
      oldOid: null,
      newOid: added.oid,
      oldSize: null,
      newSize: added.bytes.length,
    },
  ];
}
async function build(more: Partial<BuildCommitRequest> = {}): Promise<BuiltCommit> {
  const twin = benignBundle();
  const baseGitDir = join(mirrorDir, 'git');
  const made = await buildCommit({
    workDir: root,
    baseGitDir,
    shallow: [FIXTURE.boundary.oid],
    isolation,
    cleanPack: pack([twin.changed, twin.added, twin.source, twin.root]),
    tree: twin.root.oid,
    base: FIXTURE.start.oid,
    changes: benignChanges(),
    identity: { name: 'fixture[bot]', email: '1+fixture[bot]@users.noreply.example' },
    message: 'Fix the fixture',
    date: DATE,
    ...more,
  });
  built.push(made);
  return made;
}
function push(commitBuilt: BuiltCommit, more: Partial<PushRequest> = {}) {
  return pushRef({
    gitDir: commitBuilt.gitDir,
    borrowsFrom: commitBuilt.borrowsFrom,
    commit: commitBuilt.commit,
    ref: BRANCH_REF,
    expectedOld: null,
    remote: remote(),
    token: TOKEN,
    isolation,
    ...more,
  });
}

describe('fetching a source', () => {
  it('packs the commit with its history to the depth and names the boundary', async () => {
    const source = await fetchStart();
    expect(source.shallow).toEqual([FIXTURE.boundary.oid]);
    const check = await mkdtemp(join(root, 'check-'));
    await initBare(check);
    await writeFile(join(check, 'shallow'), `${source.shallow.join('\n')}\n`);
    await runGit({
      gitDir: check,
      args: ['index-pack', '--stdin'],
      stdin: await readFile(source.packFile),
    });
    const log = await runGit({
      gitDir: check,
      args: ['rev-list', '--objects', '--no-object-names', FIXTURE.start.oid],
    });
    expect(log.toString().trim().split('\n').toSorted()).toEqual(
      FIXTURE.objects.map((o) => o.oid).toSorted(),
    );
  });

  it('asks the remote only for what the mirror does not have', async () => {
    await fetchStart();
    const asked = server.seen.length;
    await rm(join(mirrorDir, 'source.pack'));
    await fetchStart();
    expect(server.seen.length).toBe(asked);
    const next = commit({ tree: FIXTURE.root.oid, parents: [FIXTURE.start.oid], message: 'Next' });
    await give([next]);
    await setRef('refs/heads/main', next.oid);
    const source = await fetchStart({ commit: next.oid, packFile: join(mirrorDir, 'next.pack') });
    expect(source.bytes).toBeGreaterThan(0);
    expect(server.seen.length).toBeGreaterThan(asked);
  });

  it('refuses a source past the cap and leaves no pack behind', async () => {
    await fetchStart();
    await rm(join(mirrorDir, 'source.pack'));
    await expect(fetchStart({ maxPackBytes: 200 })).rejects.toMatchObject({ code: 'too_large' });
    expect(await readdir(mirrorDir)).not.toContain('source.pack');
  });

  it('refuses at the fetch already what is past the cap', async () => {
    await expect(fetchStart({ maxPackBytes: 200 })).rejects.toMatchObject({ code: 'too_large' });
  });

  it('says that a commit is not there, or that the token may not read', async () => {
    await expect(fetchStart({ commit: '1'.repeat(40) })).rejects.toMatchObject({
      code: 'not_found',
    });
    await expect(fetchStart({ token: 'wrong' })).rejects.toMatchObject({ code: 'forbidden' });
    await expect(fetchStart()).resolves.toMatchObject({ commit: FIXTURE.start.oid });
  });

  it('lets two fetch the same commit at once', async () => {
    const both = await Promise.all([
      fetchStart({ packFile: join(mirrorDir, 'a.pack') }),
      fetchStart({ packFile: join(mirrorDir, 'b.pack') }),
    ]);
    expect(both[0].sha256).toBe(both[1].sha256);
  });

  it('holds the mirror for one at a time', async () => {
    const order: string[] = [];
    const hold = (name: string) =>
      withMirroredCommit(mirrorRequest(), async ({ shallow }) => {
        order.push(`${name} in`);
        await new Promise((r) => setTimeout(r, 100));
        order.push(`${name} out`);
        return shallow;
      });
    const [first] = await Promise.all([hold('one'), hold('two')]);
    expect(first).toEqual([FIXTURE.boundary.oid]);
    expect(order.map((entry) => entry.split(' ')[1])).toEqual(['in', 'out', 'in', 'out']);
    expect(order[0]?.slice(0, 3)).toBe(order[1]?.slice(0, 3));
  });

  it('starts again after a fetch that was killed', async () => {
    await fetchStart();
    const gitDir = join(mirrorDir, 'git');
    await writeFile(join(gitDir, 'shallow.lock'), '');
    await writeFile(join(gitDir, 'objects/pack/tmp_pack_killed'), 'half');
    const next = commit({ tree: FIXTURE.root.oid, parents: [FIXTURE.start.oid], message: 'Next' });
    await give([next]);
    await setRef('refs/heads/main', next.oid);
    const packFile = join(mirrorDir, 'next.pack');
    await expect(fetchStart({ commit: next.oid, packFile })).resolves.toBeDefined();
    expect(await readdir(join(gitDir, 'objects/pack'))).not.toContain('tmp_pack_killed');
  });
});

describe('building the commit', () => {
  it('puts the judged tree on the start commit under the given name, the same each time', async () => {
    await fetchStart();
    const made = await build();
    const text = await runGit({ gitDir: made.gitDir, args: ['cat-file', 'commit', made.commit] });
    expect(text.toString()).toBe(
      `tree ${benignBundle().root.oid}\nparent ${FIXTURE.start.oid}\n` +
        'author fixture[bot] <1+fixture[bot]@users.noreply.example> 1767323045 +0000\n' +
        'committer fixture[bot] <1+fixture[bot]@users.noreply.example> 1767323045 +0000\n' +
        '\nFix the fixture\n',
    );
    expect((await build()).commit).toBe(made.commit);
  });

  it('refuses a tree that the pack does not hold, and leaves nothing behind', async () => {
    await fetchStart();
    const before = await readdir(root);
    const other = tree([file('x', blob('x'))]);
    await expect(build({ tree: other.oid })).rejects.toMatchObject({ code: 'bad_input' });
    expect(await readdir(root)).toEqual(before);
  });

  it.each<[string, (changes: ChangeFact[]) => (ChangeFact | undefined)[]]>([
    ['fewer changes', ([first]) => [first]],
    ['a change more', ([first, second]) => [first, second, second]],
    ['another path', ([first, second]) => [first, second && { ...second, path: 'src/x.txt' }]],
    ['another mode', ([first, second]) => [first, second && { ...second, newMode: '100755' }]],
    [
      'another content',
      ([first, second]) => [first, second && { ...second, newOid: FIXTURE.readme.oid }],
    ],
    ['another size', ([first, second]) => [first, second && { ...second, newSize: 1 }]],
  ])('refuses a tree of which %s was judged than it holds', async (_, told) => {
    await fetchStart();
    const before = await readdir(root);
    const changes = told(benignChanges()).filter((change) => change !== undefined);
    await expect(build({ changes })).rejects.toMatchObject({
      code: 'bad_input',
      detail: { why: 'not_as_judged' },
    });
    expect(await readdir(root)).toEqual(before);
  });

  it('refuses an identity that could end its line', async () => {
    await fetchStart();
    const identity = { name: 'a\ncommitter b <b@x> 0 +0000', email: 'a@x' };
    await expect(build({ identity })).rejects.toMatchObject({ code: 'bad_input' });
  });
});

describe('pushing', () => {
  it('creates the branch, and says so again when it is asked twice', async () => {
    await fetchStart();
    const made = await build();
    expect(await push(made)).toEqual({ outcome: 'pushed', already: false });
    expect(await refOf(BRANCH_REF)).toBe(made.commit);
    expect(await push(made)).toEqual({ outcome: 'pushed', already: true });
    await runGit({ gitDir: remoteDir, args: ['fsck', '--strict'] });
  });

  it('does not touch a branch that exists', async () => {
    await fetchStart();
    await setRef(BRANCH_REF, FIXTURE.boundary.oid);
    expect(await push(await build())).toMatchObject({ outcome: 'exists' });
    expect(await refOf(BRANCH_REF)).toBe(FIXTURE.boundary.oid);
  });

  it('moves a branch only from where it was expected', async () => {
    await fetchStart();
    const made = await build();
    await setRef(BRANCH_REF, FIXTURE.start.oid);
    expect(await push(made, { expectedOld: FIXTURE.boundary.oid })).toMatchObject({
      outcome: 'exists',
    });
    expect(await push(made, { expectedOld: FIXTURE.start.oid })).toEqual({
      outcome: 'pushed',
      already: false,
    });
  });

  it('sends only the new objects when the base has moved on meanwhile', async () => {
    await fetchStart();
    const made = await build();
    const next = commit({ tree: FIXTURE.root.oid, parents: [FIXTURE.start.oid], message: 'Next' });
    await give([next]);
    await setRef('refs/heads/main', next.oid);
    const before = await readdir(join(remoteDir, 'objects'));
    server.seen = [];
    expect(await push(made)).toMatchObject({ outcome: 'pushed' });
    // It asked what the remote has; the tip alone would have told it nothing.
    expect(server.seen.some((s) => s.path.endsWith('/git-upload-pack'))).toBe(true);
    const loose = (await readdir(join(remoteDir, 'objects'))).filter(
      (name) => name.length === 2 && !before.includes(name),
    );
    // Two blobs, two trees, one commit; the start commit's own objects are not sent again.
    expect(loose.length).toBeLessThanOrEqual(5);
  });

  it.each([
    [
      'refusing to allow a GitHub App to create or update workflow `x.yml` without `workflows` permission',
      'workflow_permission',
    ],
    ['GH006: Protected branch update failed', 'protected'],
    ['no', 'other'],
  ])('tells a remote refusal by its words: %s', async (words, code) => {
    await fetchStart();
    const made = await build();
    await mkdir(join(remoteDir, 'hooks'), { recursive: true });
    const hook = join(remoteDir, 'hooks/pre-receive');
    await writeFile(hook, `#!/bin/sh\ncat >/dev/null\necho '${words} ${TOKEN}' >&2\nexit 1\n`, {
      mode: 0o755,
    });
    const outcome = await push(made);
    expect(outcome).toMatchObject({ outcome: 'refused', code });
    expect(JSON.stringify(outcome)).not.toContain(TOKEN);
    expect(await refOf(BRANCH_REF)).toBe('absent');
    await rm(hook);
    expect(await push(made)).toEqual({ outcome: 'pushed', already: false });
  });

  it('names a token that is not accepted', async () => {
    await fetchStart();
    const made = await build();
    expect(await push(made, { token: 'ghs_wrong' })).toMatchObject({
      outcome: 'refused',
      code: 'authentication',
    });
    expect(await push(made)).toMatchObject({ outcome: 'pushed' });
  });

  it('is unknown when the connection is lost after the pack was sent', async () => {
    await fetchStart();
    const made = await build();
    server.intercept = async (request) => {
      if (request.method !== 'POST' || request.url?.endsWith('git-receive-pack') !== true)
        return false;
      request.resume();
      await new Promise((resolve) => request.once('end', resolve));
      request.socket.destroy();
      return true;
    };
    expect(await push(made)).toMatchObject({ outcome: 'unknown' });
    server.intercept = undefined;
    expect(await push(made)).toEqual({ outcome: 'pushed', already: false });
  });

  it('shows the token in no argument and no environment while it pushes', async () => {
    await fetchStart();
    const made = await build();
    const found: string[] = [];
    const programs = new Set<string>();
    server.intercept = async () => {
      for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
        if (Number(pid) === process.pid) continue;
        for (const name of ['cmdline', 'environ']) {
          const text = await readFile(`/proc/${pid}/${name}`, 'latin1').catch(() => '');
          if (name === 'cmdline' && text.includes('remote-http')) programs.add(pid);
          if (text.includes(TOKEN) || text.includes(Buffer.from(TOKEN).toString('base64')))
            found.push(`${pid} ${name}`);
        }
      }
      return false;
    };
    expect(await push(made)).toMatchObject({ outcome: 'pushed' });
    // The look was taken while git's transport was alive, and the token did arrive.
    expect(programs.size).toBeGreaterThan(0);
    expect(server.seen.some((s) => s.authorization !== undefined)).toBe(true);
    expect(found).toEqual([]);
  });

  it('talks to nothing but https, or a loopback address where that is allowed', async () => {
    await fetchStart();
    const made = await build();
    const refused: PushRequest['remote'][] = [
      { url: 'http://127.0.0.1/x', protocol: 'https' },
      { url: 'http://192.0.2.1/x', protocol: 'loopback_http' },
      { url: 'https://x-access-token:secret@github.com/o/r', protocol: 'https' },
      { url: 'https://github.com/o/r?x', protocol: 'https' },
      { url: 'ext::sh -c id', protocol: 'https' },
      { url: '--upload-pack=id', protocol: 'https' },
    ];
    for (const each of refused) {
      await expect(push(made, { remote: each })).rejects.toMatchObject({ code: 'bad_input' });
    }
    expect(await push(made)).toMatchObject({ outcome: 'pushed' });
  });

  it('pushes to a branch and to nothing else', async () => {
    await fetchStart();
    const made = await build();
    const refs = [
      'refs/tags/v1',
      'refs/heads/',
      'refs/heads/a b',
      'refs/heads/a:b',
      'refs/heads/*',
      'HEAD',
    ];
    for (const ref of refs) {
      await expect(push(made, { ref })).rejects.toMatchObject({ code: 'bad_input' });
    }
    expect(await push(made)).toMatchObject({ outcome: 'pushed' });
  });
});
