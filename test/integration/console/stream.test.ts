/** The live timeline: everything so far, then each event as it happens, and never one twice or none. */
import { appendEvent } from '@sallyport/shared/db/timeline';
import { request, type IncomingMessage } from 'node:http';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { seedTask } from '../../support/deployment/seed-task.ts';
import { startConsole, TOKEN, type Console } from './console-fixture.ts';

const MAX_STREAMS = 3;

let console_: Console;
beforeAll(async () => {
  console_ = await startConsole({ maxStreams: MAX_STREAMS, heartbeatMs: 100 });
});
afterAll(() => console_.close());

interface Message {
  id: string | undefined;
  event: string;
  data: Record<string, unknown>;
}
interface Reader {
  response: IncomingMessage;
  text(): string;
  messages(event: string): Message[];
  ended: Promise<void>;
  leave(): void;
}

const readers: Reader[] = [];
afterEach(async () => {
  for (const reader of readers.splice(0)) reader.leave();
  // Places are free again a moment after the readers have gone.
  await new Promise((resolve) => setTimeout(resolve, 50));
});

function read(path: string, headers: Record<string, string> = {}): Promise<Reader> {
  return new Promise((resolve, reject) => {
    const outgoing = request(
      {
        host: '127.0.0.1',
        port: console_.port,
        path,
        agent: false,
        headers: { accept: 'text/event-stream', authorization: `Bearer ${TOKEN}`, ...headers },
      },
      (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (chunk: string) => (text += chunk));
        response.on('error', () => {});
        const reader: Reader = {
          response,
          text: () => text,
          messages: (event) => parse(text).filter((message) => message.event === event),
          ended: new Promise((done) => response.on('close', done)),
          leave: () => response.destroy(),
        };
        readers.push(reader);
        resolve(reader);
      },
    );
    outgoing.on('error', reject);
    outgoing.end();
  });
}

function parse(text: string): Message[] {
  return text.split('\n\n').flatMap((block) => {
    const field = (name: string): string | undefined =>
      block
        .split('\n')
        .find((line) => line.startsWith(`${name}: `))
        ?.slice(name.length + 2);
    const data = field('data');
    if (data === undefined) return [];
    return [
      {
        id: field('id'),
        event: field('event') ?? '',
        data: JSON.parse(data) as Record<string, unknown>,
      },
    ];
  });
}

async function taskWith(events: number): Promise<string> {
  const { taskId } = await seedTask(console_.deployment);
  for (let n = 1; n <= events; n++) await append(taskId, n);
  return taskId;
}

function append(taskId: string, n: number): Promise<number> {
  return appendEvent(console_.deployment.pool('gate'), taskId, 'task_assessed', {
    n,
    text: 'a\nb\u202e',
  });
}

const ids = (reader: Reader): (string | undefined)[] =>
  reader.messages('timeline').map((m) => m.id);

it('sends what was, then what happens, with the safety headers of every answer', async () => {
  const taskId = await taskWith(2);
  const other = await taskWith(0);
  const reader = await read(`/tasks/${taskId}/events`);
  expect(reader.response.headers).toMatchObject({
    'content-type': 'text/event-stream',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  });
  await expect.poll(() => ids(reader)).toEqual(['1', '2']);
  await append(other, 1);
  await append(taskId, 3);
  await expect.poll(() => ids(reader)).toEqual(['1', '2', '3']);
  expect(reader.messages('timeline')[2]?.data).toMatchObject({
    seq: 3,
    process: 'gate',
    kind: 'task_assessed',
    text: 'n=3 text=a\nb⟨U+202E⟩',
    data: { n: 3 },
  });
});

it('tells when the task has moved', async () => {
  const taskId = await taskWith(1);
  const reader = await read(`/tasks/${taskId}/events`);
  await expect
    .poll(() => reader.messages('state').map((m) => m.data['state']))
    .toEqual(['received']);
  await console_.deployment.admin.query(
    `update task set state = 'refused', state_reason = 'role' where id = $1`,
    [taskId],
  );
  await append(taskId, 2);
  await expect
    .poll(() => reader.messages('state').at(-1)?.data)
    .toEqual({ state: 'refused', reason: 'role' });
});

it.each([
  ['Last-Event-ID of a reader that comes back', '/events', { 'last-event-id': '2' }, ['3', '4']],
  [
    'Last-Event-ID before the number in the address',
    '/events?after=1',
    { 'last-event-id': '3' },
    ['4'],
  ],
  ['the number in the address', '/events?after=3', {}, ['4']],
])('goes on after %s', async (_name, path, headers, expected) => {
  const taskId = await taskWith(3);
  const reader = await read(`/tasks/${taskId}${path}`, headers);
  await append(taskId, 4);
  await expect.poll(() => ids(reader)).toEqual(expected);
});

it('loses and repeats nothing when events come while it reads', async () => {
  const taskId = await taskWith(0);
  const reader = await read(`/tasks/${taskId}/events`);
  await Promise.all(Array.from({ length: 40 }, (_, n) => append(taskId, n)));
  await expect
    .poll(() => ids(reader), { timeout: 5000 })
    .toEqual(Array.from({ length: 40 }, (_, n) => String(n + 1)));
});

it('beats while nothing happens', async () => {
  const reader = await read(`/tasks/${await taskWith(0)}/events`);
  await expect.poll(() => reader.text().split('\n:\n').length).toBeGreaterThan(2);
});

it('is bounded in number, and free again when a reader goes', async () => {
  const taskId = await taskWith(0);
  for (let n = 0; n < MAX_STREAMS; n++) await read(`/tasks/${taskId}/events`);
  const refused = await read(`/tasks/${taskId}/events`);
  expect(refused.response.statusCode).toBe(429);
  readers[0]?.leave();
  await expect
    .poll(async () => (await read(`/tasks/${taskId}/events`)).response.statusCode)
    .toBe(200);
});

it('is closed to strangers', async () => {
  const taskId = await taskWith(1);
  const reader = await read(`/tasks/${taskId}/events`, { authorization: 'Bearer wrong' });
  expect(reader.response.statusCode).toBe(401);
  await reader.ended;
  expect(reader.text()).not.toContain('task_assessed');
});
