/** A file of the frozen commit and of no other: what is given, what is refused, and that nothing else can be reached. */
import { answerOf, ask, findGithubRequest } from '@sallyport/shared/db/github-request';
import { inTransaction } from '@sallyport/shared/db/pool';
import { readTimeline } from '@sallyport/shared/db/timeline';
import type { GithubAnswer } from '@sallyport/shared/task/github-requests';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { handleRequest } from '../../../services/publisher/src/publisher/requests/answer.ts';
import type { Files } from '../../support/github/verbs.ts';
import {
  addRepository,
  REQUESTER,
  seedCollectedTask,
  type CollectedTask,
} from './collected-task.ts';
import { assertSettled, createPublisherWorld, type PublisherWorld } from './publisher-world.ts';

const DIRECTORY = '.sallyport/teams';
const FILE = `${DIRECTORY}/pair.yaml`;
const MAX = 64 * 1024;

let world: PublisherWorld;
let one: CollectedTask;
beforeAll(async () => {
  world = await createPublisherWorld();
});
beforeEach(async () => {
  one = await seedCollectedTask(world, { repo: await addRepository(world), changed: false });
});
afterEach(() => {
  world.github.clearFaults();
  assertSettled(world);
});
afterAll(() => world.close());

type Kind = 'head' | 'file_at';

async function request(kind: Kind, params: Record<string, unknown>): Promise<string> {
  const about = {
    taskId: one.taskId,
    installationId: one.repo.installationId ?? 0,
    repositoryId: one.repo.id,
  };
  const asking = { ...about, kind, params } as unknown as Parameters<typeof ask>[1];
  const row = await inTransaction(world.deployment.pool('gate'), (tx) => ask(tx, asking));
  await handleRequest(world.publisher, row.id);
  return row.id;
}

/** Commits to the default branch, and freezes that commit for the task as the gate does. */
async function freeze(files: Files): Promise<string> {
  const sha = await world.github.commit({ repo: one.repo, branch: 'main', files });
  await request('head', { ref: null });
  return sha;
}

async function rowFor(sha: string, name = 'pair.yaml') {
  const id = await request('file_at', { sha, directory: DIRECTORY, name });
  return findGithubRequest(world.deployment.admin, id);
}

async function fileAt(sha: string, name?: string): Promise<GithubAnswer<'file_at'> | null> {
  return answerOf(await rowFor(sha, name), 'file_at');
}

describe('a file at the frozen commit', () => {
  it('is given whole, with the names beside it, and under a token that reads contents alone', async () => {
    const text = 'v: 1\n# \u00fc\n';
    const sha = await freeze({
      [FILE]: text,
      [`${DIRECTORY}/solo.yaml`]: 'v: 1\n',
      [`${DIRECTORY}/README.md`]: 'x',
      [`${DIRECTORY}/Upper.yaml`]: 'x',
      [`${DIRECTORY}/deep/er.yaml`]: 'x',
      [`${DIRECTORY}/linked.yaml`]: { content: 'solo.yaml', mode: '120000' },
    });
    const names = ['pair.yaml', 'solo.yaml'];
    expect(await fileAt(sha)).toEqual({ text, problem: null, names });
    expect(await fileAt(sha, 'none.yaml')).toEqual({ text: null, problem: null, names });
    const minted = (await readTimeline(world.deployment.admin, one.taskId)).filter(
      ({ kind, data }) => kind === 'token_minted' && data['act'] === 'read_file',
    );
    expect(minted.map(({ data }) => data['permissions'])).toEqual([
      { metadata: 'read', contents: 'read' },
      { metadata: 'read', contents: 'read' },
    ]);
  });

  it('stays what it was, whatever is pushed later', async () => {
    const sha = await freeze({ [FILE]: 'first\n' });
    const later = await world.github.commit({
      repo: one.repo,
      branch: 'main',
      files: { [FILE]: 'second\n' },
    });
    expect((await fileAt(sha))?.text).toBe('first\n');
    expect(await rowFor(later)).toMatchObject({
      state: 'unknown',
      answer: { reason: 'not_the_frozen_commit' },
    });
  });

  it('is not read from the head of a pull request, which GitHub would give under the same repository', async () => {
    const sha = await freeze({ [FILE]: 'base\n' });
    const head = await world.github.commit({
      repo: one.repo,
      branch: 'side',
      files: { [FILE]: 'head\n' },
    });
    await world.github.addPull({ repo: one.repo, head: 'side', title: 'Side', by: REQUESTER });
    expect((await rowFor(head))?.state).toBe('unknown');
    expect((await fileAt(sha))?.text).toBe('base\n');
  });

  it('is not read from the head of another branch, though a gate has asked for that', async () => {
    const sha = await freeze({ [FILE]: 'base\n' });
    const side = await world.github.commit({
      repo: one.repo,
      branch: 'side',
      files: { [FILE]: 'side\n' },
    });
    const asked = await request('head', { ref: 'side' });
    const row = await findGithubRequest(world.deployment.admin, asked);
    expect(answerOf(row, 'head')?.sha).toBe(side);
    expect(await rowFor(side)).toMatchObject({
      state: 'unknown',
      answer: { reason: 'not_the_frozen_commit' },
    });
    expect((await fileAt(sha))?.text).toBe('base\n');
  });

  it('is absent where there is no such directory', async () => {
    const sha = await freeze({ 'x.js': '1\n' });
    expect(await fileAt(sha)).toEqual({ text: null, problem: null, names: [] });
  });

  it.each<[string, Files]>([
    ['link', { [FILE]: { content: '/etc/passwd', mode: '120000' } }],
    ['submodule', { [FILE]: { content: 'a'.repeat(40), mode: '160000' } }],
    ['directory', { [`${FILE}/x`]: 'x' }],
    ['too_large', { [FILE]: 'x'.repeat(MAX + 1) }],
    ['not_text', { [FILE]: Buffer.from([0xff, 0xfe]) }],
    ['not_text', { [FILE]: 'a\0b' }],
    ['not_a_directory', { [DIRECTORY]: { content: '../elsewhere', mode: '120000' } }],
    ['not_a_directory', { '.sallyport': { content: 'b'.repeat(40), mode: '160000' } }],
    ['too_many_files', manyFiles(51)],
  ])('is not given when it is: %s', async (problem, files) => {
    const sha = await freeze(files);
    expect(await fileAt(sha)).toMatchObject({ text: null, problem });
  });

  it.each<[string, Files]>([
    ['of the greatest size', { [FILE]: 'x'.repeat(MAX) }],
    ['that may be executed', { [FILE]: { content: 'x', mode: '100755' } }],
    ['among as many as there may be', manyFiles(50)],
  ])('is given when it is one %s', async (_what, files) => {
    const sha = await freeze(files);
    const answer = await fileAt(sha);
    expect(answer?.problem).toBeNull();
    expect(answer?.text).toMatch(/^x+$/);
  });

  it('is not taken for what was asked when GitHub gives other bytes', async () => {
    const sha = await freeze({ [FILE]: 'right\n' });
    world.github.fault({
      match: { method: 'GET', path: /\/git\/blobs\// },
      status: 200,
      body: { sha: 'a'.repeat(40), encoding: 'base64', content: btoa('wrong\n') },
    });
    await expect(rowFor(sha)).rejects.toMatchObject({ code: 'transient' });
    expect((await fileAt(sha))?.text).toBe('right\n');
  });

  it.each([
    { directory: '.github', name: 'pair.yaml' },
    { directory: '.sallyport', name: 'pair.yaml' },
    { directory: DIRECTORY, name: '../secret.yaml' },
    { directory: DIRECTORY, name: 'pair.yml' },
  ])('cannot even be asked for elsewhere: $directory/$name', async (params) => {
    const sha = await freeze({ [FILE]: 'x\n' });
    await expect(request('file_at', { sha, ...params })).rejects.toThrow(/Invalid/);
  });
});

function manyFiles(count: number): Files {
  const names = Array.from({ length: count - 1 }, (_, i) => `${DIRECTORY}/team-${i}.yaml`);
  return Object.fromEntries([FILE, ...names].map((name) => [name, 'x']));
}
