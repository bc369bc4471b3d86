/** The stand-in as a process of its own, driven from here. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createGithubControl, type GithubControl } from './control/create-github-control.ts';
import { createDirectory, createReceiver, type Directory } from './test-world.ts';
import type { RepoHandle } from './verbs.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

interface Line {
  readonly url: string;
  readonly apiUrl: string;
  readonly controlToken: string;
  readonly repos: readonly RepoHandle[];
}

let directory: Directory;
let child: ChildProcess;
let line: Line;
let github: GithubControl;

beforeAll(async () => {
  directory = await createDirectory();
  const state = {
    webhookSecret: 's3cret',
    privateKeyFile: join(directory.path, 'key.pem'),
    users: [{ login: 'alice' }],
    repos: [
      {
        owner: 'acme',
        name: 'shop',
        files: { 'README.md': '# shop\n' },
        permissions: { alice: 'write' },
        issues: [{ title: 'Bug', by: 'alice', comments: [{ by: 'alice', body: 'it breaks' }] }],
      },
    ],
  };
  await writeFile(join(directory.path, 'state.json'), JSON.stringify(state));
  const main = fileURLToPath(new URL('main.ts', import.meta.url));
  child = spawn(
    process.execPath,
    ['--import', 'tsx', main, '--state', join(directory.path, 'state.json')],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  const [first] = (await once(child.stdout ?? child, 'data')) as [Buffer];
  line = JSON.parse(first.toString('utf8')) as Line;
  github = createGithubControl(line.url, line.controlToken);
}, 30_000);
afterAll(async () => {
  if (child.exitCode === null) {
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
  await directory.remove();
});

describe('a stand-in in another process', () => {
  it('starts from its file and leaves the App’s key to its owner alone', async () => {
    expect(line.repos).toMatchObject([
      { fullName: 'acme/shop', installationId: expect.any(Number) },
    ]);
    expect(await github.comments('acme/shop', 1)).toMatchObject([
      { body: 'it breaks', user: { login: 'alice' } },
    ]);
    expect(
      (await readFile(join(directory.path, 'key.pem'), 'utf8')).startsWith(
        '-----BEGIN RSA PRIVATE KEY-----',
      ),
    ).toBe(true);
    expect((await stat(join(directory.path, 'key.pem'))).mode & 0o777).toBe(0o600);
  });

  it('does what it is told: comments, deliveries, rules, faults', async () => {
    const receiver = await createReceiver();
    try {
      await github.setHook({ url: receiver.url });
      const comment = await github.comment({
        repo: 'acme/shop',
        issue: 1,
        body: '/agent fix',
        by: 'alice',
      });
      const payload = await github.issueCommentPayload({ repo: 'acme/shop', comment: comment.id });
      const [sent] = await github.deliver('issue_comment', payload);
      expect(sent).toMatchObject({ statusCode: 200, deliveredAt: expect.any(Date) });
      expect(JSON.parse(receiver.received[0]?.body.toString('utf8') ?? '')).toMatchObject({
        comment: { id: comment.id },
      });
      await github.setProtection('acme/shop', 'none');
      await github.fault({ match: { path: /^\/meta$/ }, status: 503 });
      expect((await fetch(`${line.apiUrl}/meta`)).status).toBe(503);
      expect((await fetch(`${line.apiUrl}/meta`)).status).toBe(200);
      await github.assertClean();
    } finally {
      await receiver.close();
    }
  });

  it('tells of violations and of mistakes in the words that it would use in one process', async () => {
    await expect(
      github.addIssue({ repo: 'acme/none', title: 'x', by: 'alice' }),
    ).rejects.toMatchObject({
      code: 'not_found',
      message: 'finding repository acme/none',
    });
    await fetch(`${line.apiUrl}/nonsense`);
    await expect(github.assertClean()).rejects.toThrow('GET /nonsense: unknown_request');
    await github.clearViolations();
    await expect(github.assertClean()).resolves.toBeNull();
  });

  it('obeys nobody without its control token', async () => {
    const stranger = createGithubControl(line.url, 'wrong');
    await expect(stranger.assertClean()).rejects.toMatchObject({ code: 'forbidden' });
    const unnamed = await fetch(`${line.url}/_control/assertClean`, {
      method: 'POST',
      body: '{"args":[]}',
    });
    expect(unnamed.status).toBe(401);
  });

  it('ends when asked and leaves no directory behind', async () => {
    const { gitDir } = await github.repo('acme/shop');
    expect(existsSync(gitDir)).toBe(true);
    child.kill('SIGTERM');
    const [code] = (await once(child, 'exit')) as [number];
    expect(code).toBe(0);
    expect(existsSync(gitDir)).toBe(false);
  });
});
