/** The App's own face: JSON web tokens, installation tokens, and how narrow they are. */
import { createSign } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { createWorld, type World } from './test-world.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterEach(() => world.github.assertClean());
afterAll(() => world.close());

function jwt(claims: Record<string, unknown>, key = world.github.app.privateKey): string {
  const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const body = `${part({ alg: 'RS256', typ: 'JWT' })}.${part(claims)}`;
  return `${body}.${createSign('RSA-SHA256').update(body).sign(key).toString('base64url')}`;
}

async function askApp(
  claims: Record<string, unknown>,
): Promise<{ status: number; message: string | undefined }> {
  const response = await fetch(`${world.github.apiUrl}/app`, {
    headers: { authorization: `Bearer ${jwt(claims)}` },
  });
  const body = (await response.json()) as { message?: string };
  return { status: response.status, message: body.message };
}

describe('the App’s JSON web token', () => {
  const now = (): number => Math.floor(Date.now() / 1000);

  it('is taken when it is at most ten minutes ahead', async () => {
    expect(
      await askApp({ iat: now() - 60, exp: now() + 590, iss: world.github.app.id }),
    ).toMatchObject({ status: 200 });
  });

  it('is refused when it expires too far in the future', async () => {
    const answer = await askApp({ iat: now() - 60, exp: now() + 700, iss: world.github.app.id });
    expect(answer).toMatchObject({
      status: 401,
      message: expect.stringContaining('too far in the future'),
    });
  });

  it('is refused when it was issued in the future, as by a clock that runs ahead', async () => {
    const answer = await askApp({ iat: now() + 60, exp: now() + 300, iss: world.github.app.id });
    expect(answer).toMatchObject({ status: 401, message: expect.stringContaining('Issued at') });
  });

  it('is refused when another App issued it', async () => {
    expect(await askApp({ iat: now() - 60, exp: now() + 300, iss: 1 })).toMatchObject({
      status: 401,
    });
  });
});

describe('an installation token', () => {
  it('carries only the permissions and repositories that were asked for', async () => {
    const other = await world.github.addRepo({ owner: 'acme', name: 'other' });
    const token = await world.mint({ contents: 'read' });
    const octokit = world.client(token);
    await expect(octokit.repos.getBranch({ ...world.at, branch: 'main' })).resolves.toMatchObject({
      status: 200,
    });
    await expect(
      octokit.repos.getBranch({ owner: 'acme', repo: other.name, branch: 'main' }),
    ).rejects.toMatchObject({ status: 404 });
    await expect(octokit.pulls.list(world.at)).rejects.toMatchObject({
      status: 403,
      message: expect.stringContaining('Resource not accessible by integration'),
      response: { headers: { 'x-accepted-github-permissions': 'pull_requests=read' } },
    });
    expect(world.github.tokens().at(-1)).toMatchObject({
      permissions: { metadata: 'read', contents: 'read' },
      repositoryIds: [world.repo.id],
    });
  });

  it('is not minted for a repository of another account', async () => {
    const foreign = await world.github.addRepo({ owner: 'elsewhere', name: 'shop' });
    const ask = world.app.apps.createInstallationAccessToken({
      installation_id: world.repo.installationId ?? 0,
      repository_ids: [foreign.id],
    });
    await expect(ask).rejects.toMatchObject({
      status: 422,
      message: expect.stringContaining('not accessible to the parent'),
    });
  });

  it('is not minted with a permission that the installation lacks', async () => {
    await expect(world.mint({ workflows: 'write' })).rejects.toMatchObject({ status: 422 });
    await expect(world.mint({ contents: 'write' })).resolves.toContain('ghs_');
  });

  it('is not minted while the installation is suspended, and is again afterwards', async () => {
    const id = world.repo.installationId ?? 0;
    world.github.setInstallation(id, { suspended: true });
    await expect(world.mint()).rejects.toMatchObject({
      status: 403,
      message: expect.stringContaining('suspended'),
    });
    world.github.setInstallation(id, { suspended: false });
    await expect(world.mint()).resolves.toContain('ghs_');
  });

  it('is not minted for an installation that is gone; the repository tells the new one', async () => {
    const { github, app } = world;
    const extra = await github.addRepo({ owner: 'movers', name: 'box' });
    const old = extra.installationId ?? 0;
    const next = github.reinstall(old);
    await expect(
      app.apps.createInstallationAccessToken({ installation_id: old }),
    ).rejects.toMatchObject({ status: 404 });
    const found = await app.apps.getRepoInstallation({ owner: 'movers', repo: 'box' });
    expect(found.data.id).toBe(next);
  });

  it('ends when it is revoked', async () => {
    const token = await world.mint();
    const octokit = world.client(token);
    const before = world.github.liveTokens().length;
    await octokit.apps.revokeInstallationAccessToken();
    expect(world.github.liveTokens()).toHaveLength(before - 1);
    await expect(octokit.repos.get(world.at)).rejects.toMatchObject({ status: 401 });
  });

  it('ends after an hour', async () => {
    const late = await createWorld();
    try {
      const octokit = late.client(await late.mint());
      late.github.advanceClock(59 * 60_000);
      await expect(octokit.repos.get(late.at)).resolves.toMatchObject({ status: 200 });
      late.github.advanceClock(2 * 60_000);
      await expect(octokit.repos.get(late.at)).rejects.toMatchObject({ status: 401 });
      late.github.assertClean();
    } finally {
      await late.close();
    }
  });

  it('comes in the old form of 40 characters and in the new, long one', async () => {
    world.github.setTokenFormat('classic');
    expect(await world.mint()).toMatch(/^ghs_[A-Za-z0-9]{36}$/);
    world.github.setTokenFormat('stateless');
    const token = await world.mint();
    expect(token).toMatch(/^ghs_424242_[\w-]+\.[\w-]+\.[\w-]+$/);
    expect(token.length).toBeGreaterThan(300);
  });
});

describe('the manifest of an App', () => {
  it('is exchanged once for the key and the secrets', async () => {
    world.github.addManifestCode('c0de');
    const exchange = (): Promise<{ data: { id: number; pem: string } }> =>
      world.client('').apps.createFromManifest({ code: 'c0de' });
    expect((await exchange()).data).toMatchObject({
      id: world.github.app.id,
      pem: world.github.app.privateKey,
    });
    await expect(exchange()).rejects.toMatchObject({ status: 404 });
  });
});
