/** The App's key at work: rotation, and tokens whose end does not come as planned. */
import { generateKeyPairSync } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readAppKeys } from '../../../services/publisher/src/publisher/github/app-key.ts';
import {
  createGithub as createClient,
  type Github,
} from '../../../services/publisher/src/publisher/github/client.ts';
import { readInstallation } from '../../../services/publisher/src/publisher/github/installation.ts';
import {
  withToken,
  type TokenRequest,
} from '../../../services/publisher/src/publisher/github/token.ts';
import { addRepository, lookAt, seedCollectedTask, type CollectedTask } from './collected-task.ts';
import { assertSettled, createPublisherWorld, type PublisherWorld } from './publisher-world.ts';

let world: PublisherWorld;
let one: CollectedTask;
const stranger = generateKeyPairSync('rsa', { modulusLength: 2048 })
  .privateKey.export({ type: 'pkcs1', format: 'pem' })
  .toString();
beforeAll(async () => {
  world = await createPublisherWorld();
  one = await seedCollectedTask(world, { repo: await addRepository(world), changed: false });
});
afterAll(() => world.close());

function clientWith(pem: string): Github {
  return createClient({
    apiUrl: world.github.apiUrl,
    appId: world.github.app.id,
    keys: readAppKeys(pem),
    log: world.publisher.log,
  });
}

function tokenRequest(): TokenRequest {
  const { repo } = one;
  return {
    act: 'read_subject',
    taskId: one.taskId,
    installationId: repo.installationId ?? 0,
    repositoryId: repo.id,
    knownAs: { owner: repo.owner, name: repo.name },
  };
}

it('signs with the second key when GitHub refuses the first, and raises an alarm', async () => {
  const id = one.repo.installationId ?? 0;
  const own = world.github.app.privateKey;
  const quiet = world.logged.length;
  expect(await readInstallation(clientWith(`${own}\n${stranger}`), id)).toMatchObject({
    suspended: false,
  });
  expect(world.logged).toHaveLength(quiet);
  expect(await readInstallation(clientWith(`${stranger}\n${own}`), id)).toMatchObject({
    suspended: false,
  });
  expect(world.logged.at(-1)).toMatch(/"level":50.*refuses the first App key/);
  await expect(readInstallation(clientWith(stranger), id)).rejects.toMatchObject({
    code: 'forbidden',
  });
  assertSettled(world);
});

it('records a token that could not be revoked as such, and the outcome of its act stands', async () => {
  world.github.fault({ match: { method: 'DELETE', path: '/installation/token' }, cut: 'before' });
  expect(await withToken(world.publisher, tokenRequest(), () => Promise.resolve('done'))).toBe(
    'done',
  );
  const { events } = await lookAt(world, one);
  expect(events.at(-1)).toMatchObject({
    kind: 'token_revoked',
    data: { act: 'read_subject', revoked: false },
  });
  expect(world.logged.at(-1)).toMatch(/"level":50.*revoking a token failed/);
  world.github.revokeTokens();
  assertSettled(world);
});

it('revokes the token when the act fails, and lets the failure through', async () => {
  const failed = withToken(world.publisher, tokenRequest(), () =>
    Promise.reject(new Error('the act failed')),
  );
  await expect(failed).rejects.toThrow('the act failed');
  expect((await lookAt(world, one)).events.at(-1)).toMatchObject({
    kind: 'token_revoked',
    data: { revoked: true },
  });
  assertSettled(world);
});

it('gives up on a request after its time, and says that nothing is known', async () => {
  const client = createClient({
    apiUrl: world.github.apiUrl,
    appId: world.github.app.id,
    keys: readAppKeys(world.github.app.privateKey),
    log: world.publisher.log,
    timeoutMs: 200,
  });
  world.github.fault({
    match: { method: 'GET', path: /^\/app\/installations\/\d+$/ },
    delayMs: 1_000,
  });
  await expect(readInstallation(client, one.repo.installationId ?? 0)).rejects.toMatchObject({
    code: 'transient',
    detail: { status: null },
  });
});

it('takes a POST that is answered with a redirect for no success', async () => {
  world.github.fault({
    match: { method: 'POST', path: /access_tokens$/ },
    status: 301,
    headers: { location: `${world.github.apiUrl}/app` },
  });
  const before = world.github.requests().length;
  await expect(
    withToken(world.publisher, tokenRequest(), () => Promise.resolve()),
  ).rejects.toMatchObject({ code: 'transient' });
  expect(
    world.github
      .requests()
      .slice(before)
      .map(({ method }) => method),
  ).toEqual(['POST']);
  assertSettled(world);
});

it('reads nothing out of a reply that was cut on its way', async () => {
  world.github.fault({
    match: { method: 'GET', path: /^\/app\/installations\/\d+$/ },
    status: 200,
    body: '{"id": 1, "perm',
  });
  await expect(
    readInstallation(world.publisher.github, one.repo.installationId ?? 0),
  ).rejects.toMatchObject({ code: 'transient' });
});
