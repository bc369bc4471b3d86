/**
 * A sandbox that may write above a directory puts links in its place, as fast as it can, while the directory is mounted for
 * another sandbox, written to, and removed. Without the guard between them this works; the first test shows that it does.
 */
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { CallAnswer } from '../support/engine/call-engine.ts';
import { RUN, STEP, useGuard } from './guard-fixture.ts';

const use = useGuard();
const ROUNDS = 24;
const STATES = /^(?:own|none)$/;
/** What it leads to is no directory of the guard, and is all that a link would show. */
let treasure = '';
let swapper = '';

// Each for some time, so that either is found about as often, and changed many times while one container starts.
const SWAP = `cd /c/run/steps/s
ln -s TREASURE link
while :; do mv in real; mv link in; sleep 0.01; mv in link; mv real in; sleep 0.01; done 2>/dev/null`;

beforeAll(async () => {
  treasure = mkdtempSync(join(tmpdir(), 'sp-treasure-'));
  // For everybody to see, should it be mounted.
  chmodSync(treasure, 0o755);
  writeFileSync(join(treasure, 'treasure'), 'gold');
  await use.guard.call('PUT', `/workspace/directories/${RUN}`);
  await use.guard.call('PUT', `/workspace/files/${STEP}/in/own`, 'own');
  swapper = await use.create({
    Cmd: ['/bin/sh', '-c', SWAP.replace('TREASURE', treasure)],
    Mounts: [{ kind: 'directory', name: RUN, target: '/c/run', readOnly: false }],
  });
  await use.start(swapper);
});
afterAll(() => rmSync(treasure, { recursive: true, force: true }));

/** What one container sees at its mount: its own file, the treasure, or no container at all. */
async function look(
  round: number,
  start: (id: string) => Promise<number>,
  create: () => Promise<string | undefined>,
): Promise<string> {
  const id = await create();
  if (id === undefined) return 'none';
  try {
    if ((await start(id)) !== 204) return 'none';
    const { json } = await use.engine('POST', `/containers/${id}/wait`);
    const { StatusCode } = json as { StatusCode: number };
    return StatusCode === 7
      ? 'treasure'
      : StatusCode === 8
        ? 'own'
        : `ended with ${StatusCode} in round ${round}`;
  } finally {
    await use.engine('DELETE', `/containers/${id}?force=1`);
  }
}

const SEE = [
  '/bin/sh',
  '-c',
  'test -e /mnt/treasure && exit 7; test -e /mnt/own && exit 8; exit 9',
];

test('an engine follows a link that was put in the place of a directory', async () => {
  const seen = new Set<string>();
  for (let round = 0; round < ROUNDS * 4 && !seen.has('treasure'); round += 1) {
    const body = {
      Image: use.image,
      Cmd: SEE,
      HostConfig: {
        NetworkMode: 'none',
        Mounts: [
          {
            Type: 'bind',
            Source: join(use.guard.root, STEP, 'in'),
            Target: '/mnt',
            ReadOnly: true,
          },
        ],
      },
    };
    const create = async (): Promise<string | undefined> =>
      ((await use.engine('POST', '/containers/create', body)).json as { Id?: string }).Id;
    const start = async (id: string): Promise<number> =>
      (await use.engine('POST', `/containers/${id}/start`)).status;
    seen.add(await look(round, start, create));
  }
  expect([...seen]).toContain('treasure');
});

test('through the guard it never does, and sandboxes start', async () => {
  const seen = new Map<string, number>();
  for (let round = 0; round < ROUNDS; round += 1) {
    const body = use.body({
      Cmd: SEE,
      Mounts: [{ kind: 'directory', name: `${STEP}/in`, target: '/mnt', readOnly: true }],
    });
    const create = async (): Promise<string | undefined> => {
      const path = `/containers/create?name=look-${round}`;
      const made = await untilDone(() => use.guard.call('POST', path, body), 201);
      return (made.json as { Id?: string }).Id;
    };
    const start = async (id: string): Promise<number> =>
      (await untilDone(() => use.guard.call('POST', `/containers/${id}/start`), 204)).status;
    const one = await look(round, start, create);
    seen.set(one, (seen.get(one) ?? 0) + 1);
  }
  expect([...seen.keys()].filter((state) => !STATES.test(state))).toEqual([]);
  expect(seen.get('own') ?? 0).toBeGreaterThan(0);
});

/** Asks again while a link is in the way, which is most of the time. */
async function untilDone(ask: () => Promise<CallAnswer>, status: number): Promise<CallAnswer> {
  for (let attempt = 1; ; attempt += 1) {
    const answer = await ask();
    if (answer.status === status || attempt === 60) return answer;
    // The engine itself says 400 where it finds nothing, when the container is made.
    expect([400, 403, 404], answer.message).toContain(answer.status);
  }
}

test('what is held still for a start runs on after it', async () => {
  const { State } = (await use.guard.call('GET', `/containers/${swapper}/json`)).json as {
    State: { Status: string };
  };
  expect(State.Status).toBe('running');
});

test('writing, reading, measuring and removing follow no link either', async () => {
  const statuses = new Set<number>();
  for (let round = 0; round < ROUNDS * 4; round += 1) {
    for (const [method, path] of [
      ['PUT', `/workspace/files/${STEP}/in/planted`],
      ['GET', `/workspace/usage/${STEP}/in`],
      ['DELETE', `/workspace/directories/${STEP}/in`],
    ] as const) {
      statuses.add((await use.guard.call(method, path, method === 'PUT' ? 'x' : undefined)).status);
    }
  }
  expect(readdirSync(treasure)).toEqual(['treasure']);
  expect([...statuses]).toContain(204);
  await use.remove(swapper);
});

test('a hand-off that is a link, a pipe, a device or has a second name is not read, a plain one is', async () => {
  await use.guard.call('PUT', `/workspace/directories/${STEP}/out`);
  const out = { kind: 'directory', name: `${STEP}/out`, target: '/out', readOnly: false };
  mkdirSync(join(use.guard.root, STEP, 'out/directory'));
  await use.run(
    'cd /out; ln -s /etc/passwd link; mkfifo pipe; mknod device c 0 0; echo x > one; ln one two; echo plain > plain; dd if=/dev/zero of=large bs=1k count=9',
    { Mounts: [out] },
  );
  const kindOf = async (name: string): Promise<unknown> => {
    const { status, json } = await use.guard.call(
      'GET',
      `/workspace/files/${STEP}/out/${name}?max=8192`,
    );
    return status === 200 ? 'read' : (json as { kind?: unknown }).kind;
  };
  for (const name of ['link', 'pipe', 'device', 'one', 'two', 'directory']) {
    expect([name, await kindOf(name)]).toEqual([name, 'not_a_plain_file']);
  }
  expect(await kindOf('large')).toBe('too_large');
  expect(await kindOf('plain')).toBe('read');
});
