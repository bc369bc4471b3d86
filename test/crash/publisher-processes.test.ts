/** Publisher and importer as the processes that they are: started, killed at the worst moments, and started again. */
import { spawn, type ChildProcess } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { findTask } from '@sallyport/shared/db/task';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  addRepository,
  lookAt,
  seedCollectedTask,
  type CollectedTask,
} from '../integration/publisher/collected-task.ts';
import {
  createPublisherWorld,
  type PublisherWorld,
} from '../integration/publisher/publisher-world.ts';

const CHECKOUT = fileURLToPath(new URL('../../', import.meta.url));
type Name = 'publisher' | 'importer';

interface Running {
  child: ChildProcess;
  lines: string[];
  ended: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
}

let world: PublisherWorld;
const running = new Set<Running>();
beforeAll(async () => {
  world = await createPublisherWorld();
});
afterEach(async () => {
  await Promise.all([...running].map(kill));
  running.clear();
  world.github.assertClean();
});
afterAll(() => world.close());

function kill({ child, ended }: Running): Promise<unknown> {
  child.kill('SIGKILL');
  return ended;
}

function secretFile(name: string, content: string): string {
  const file = join(world.directory, name);
  writeFileSync(file, content, { mode: 0o600 });
  return file;
}

/** The whole environment of a process: nothing of this one's is passed on. */
function environmentFor(name: Name): Record<string, string> {
  const common = {
    PATH: '/usr/bin:/bin',
    TMPDIR: world.directory,
    DEPLOYMENT_ID: world.deployment.id,
    STATE_DIR: join(world.directory, `state-${name}`),
    DATABASE_URL_FILE: secretFile(`${name}-database`, world.deployment.urls[name]),
    REDIS_URL_FILE: secretFile(`${name}-redis`, world.deployment.redisUrl),
    TICKET_PUBLIC_KEYS_FILE: secretFile('ticket-keys', world.keys.publicPem),
  };
  if (name === 'importer') return common;
  return {
    ...common,
    GITHUB_API_URL: world.github.apiUrl,
    GITHUB_URL: world.github.url,
    GITHUB_APP_ID: String(world.github.app.id),
    GITHUB_APP_KEY_FILE: secretFile('app-key', world.github.app.privateKey),
  };
}

function start(name: Name, extra: Record<string, string> = {}): Running {
  const main = join(CHECKOUT, 'services/publisher/src', name, 'main.ts');
  const child = spawn(process.execPath, ['--import', 'tsx', main], {
    cwd: CHECKOUT,
    env: { ...environmentFor(name), ...extra },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const lines: string[] = [];
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (piece: Buffer) => lines.push(piece.toString()));
  const ended = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve) => {
    child.once('exit', (code, signal) => resolve({ code, signal }));
  });
  const one = { child, lines, ended };
  running.add(one);
  return one;
}

async function untilPublished(one: CollectedTask, seconds = 40): Promise<void> {
  const deadline = Date.now() + seconds * 1000;
  for (;;) {
    const task = await findTask(world.deployment.admin, one.taskId);
    if (task?.state === 'published') return;
    if (Date.now() > deadline) {
      const said = [...running]
        .flatMap(({ lines }) => lines)
        .join('')
        .slice(-4000);
      throw new Error(
        `the task is ${task?.state} (${task?.stateReason}) after ${seconds} s\n${said}`,
      );
    }
    await sleep(100);
  }
}

const ONCE = {
  pulls: 1,
  comments: 1,
  branches: 2,
  events: ['verdict_given', 'pushed', 'published'],
};

async function countsOf(one: CollectedTask): Promise<typeof ONCE> {
  const seen = await lookAt(world, one);
  return {
    pulls: seen.pulls.length,
    comments: seen.comments.length,
    branches: Object.keys(seen.branches).length,
    events: seen.kinds.filter((kind) => ONCE.events.includes(kind)),
  };
}

describe('the processes', () => {
  it('publish a collected run between them, and end with 0 when asked to stop', async () => {
    const both = [start('publisher'), start('importer')];
    const one = await seedCollectedTask(world, { repo: await addRepository(world) });
    await untilPublished(one);
    expect(await countsOf(one)).toEqual(ONCE);
    for (const { child } of both) child.kill('SIGTERM');
    expect(await Promise.all(both.map(({ ended }) => ended))).toEqual([
      { code: 0, signal: null },
      { code: 0, signal: null },
    ]);
    const said = both.flatMap(({ lines }) => lines.join('').split('\n'));
    // A busy machine reads the halt too late now and then; that it halts then is as it should be.
    const alarms = said.filter(
      (line) => /"level":(50|60)/.test(line) && !line.includes('the halt cannot be read'),
    );
    expect(alarms).toEqual([]);
  }, 90_000);

  // One moment in each of their effects; test/crash has every moment.
  it.each([
    ['publisher', 'publisher:before_push'],
    ['publisher', 'publisher:commented_not_recorded'],
    ['importer', 'importer:imported_not_stored'],
  ] as const)(
    'killed (%s at %s) and started again, they publish once',
    async (name, moment) => {
      const one = await seedCollectedTask(world, { repo: await addRepository(world) });
      const other = start(name === 'publisher' ? 'importer' : 'publisher');
      const doomed = start(name, { SALLYPORT_CRASH_POINT: moment });
      expect(await doomed.ended).toEqual({ code: null, signal: 'SIGKILL' });
      expect(doomed.lines.join('')).toContain(`crash_point ${moment}`);
      expect(other.child.exitCode).toBeNull();
      start(name);
      await untilPublished(one, 75);
      expect(await countsOf(one)).toEqual(ONCE);
    },
    150_000,
  );

  it.each([
    ['an App key that is none', { GITHUB_APP_KEY_FILE: 'nonsense' }, /GITHUB_APP_KEY_FILE: .*PEM/],
    [
      'a key of another kind',
      {
        GITHUB_APP_KEY_FILE: generateKeyPairSync('ed25519')
          .privateKey.export({ type: 'pkcs8', format: 'pem' })
          .toString(),
      },
      /sign with RSA/,
    ],
    ['a policy that is none', { POLICY_FILE: '{"alow":1}' }, /POLICY_FILE .*alow/],
  ])(
    'the publisher ends with 2 for %s and names the mend',
    async (_, files, problem) => {
      const extra = Object.fromEntries(
        Object.entries(files).map(([name, content]) => [name, secretFile(`bad-${name}`, content)]),
      );
      const one = start('publisher', extra);
      expect((await one.ended).code).toBe(2);
      expect(one.lines.join('')).toMatch(problem);
    },
    60_000,
  );

  it('the importer starts without a key, and refuses one that is given by value', async () => {
    const one = start('importer', { TICKET_PUBLIC_KEYS: 'x' });
    expect((await one.ended).code).toBe(2);
    expect(one.lines.join('')).toContain('TICKET_PUBLIC_KEYS: a secret must not be given by value');
    expect(Object.keys(environmentFor('importer')).some((name) => name.includes('APP_KEY'))).toBe(
      false,
    );
  }, 60_000);
});
