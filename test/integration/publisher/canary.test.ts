/** A planted credential in anything that would leave: seen, told, held; beside a twin without it, which is published. */
import { createCanary } from '@sallyport/shared/canary/create-canary';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  addRepository,
  lookAt,
  seedCollectedTask,
  type AgentFiles,
  type Outcome,
} from './collected-task.ts';
import { assertSettled, createPublisherWorld, type PublisherWorld } from './publisher-world.ts';

let world: PublisherWorld;
beforeAll(async () => {
  world = await createPublisherWorld();
});
afterEach(() => assertSettled(world));
afterAll(() => world.close());

const canary = createCanary();
/** What the agent's sandbox was baited with, and what it made of it. */
interface Leak {
  files?: AgentFiles;
  summary?: string;
  /** What the launcher noted. */
  seenIn?: string;
}

const SUM = 'export const sum = (a, b) => a + b;\n';
const fixWith = (text: string): AgentFiles => ({ 'src/sum.js': `${SUM}// ${text}\n` });
const base64 = (text: string): string => Buffer.from(text).toString('base64');
const escaped = canary.replace(/./g, (c) => `%${c.charCodeAt(0).toString(16)}`);

async function publish(leak: Leak, value = canary): Promise<Outcome> {
  const { seenIn = '', ...work } = leak;
  const repo = await addRepository(world);
  const one = await seedCollectedTask(world, { repo, ...work });
  const { admin } = world.deployment;
  await admin.query('delete from canary');
  await admin.query(
    `insert into canary (step_id, value, seen_in) select id, $2, $3 from step where run_id = $1`,
    [one.runId, value, seenIn === '' ? [] : [seenIn]],
  );
  await world.publish(one.runId);
  return lookAt(world, one);
}

const HELD = { state: 'held', stateReason: 'canary_seen' };

function expectNothingOut(seen: Outcome, seenIn: string | null): void {
  expect(Object.keys(seen.branches)).toEqual(['main']);
  expect(seen.pulls).toEqual([]);
  const events = seen.events.filter(({ kind }) => kind === 'canary_seen');
  expect(events.map(({ data }) => data['seenIn'])).toEqual(seenIn === null ? [] : [seenIn]);
  const told = JSON.stringify([seen.events, seen.comments, seen.verdict, world.logged]);
  for (const form of [canary, base64(canary), escaped]) expect(told).not.toContain(form);
}

describe('a canary in the bundle is held', () => {
  it.each([
    ['as it is', canary],
    ['in base64', base64(canary)],
    ['in base64 behind one byte', base64(`:${canary}`)],
    ['in base64 behind two bytes', base64(`::${canary}`)],
    ['in hex', Buffer.from(canary).toString('hex')],
    ['reversed', Array.from(canary).toReversed().join('')],
    ['escaped as in addresses', escaped],
  ])('when a file has it %s', async (_how, text) => {
    const seen = await publish({ files: fixWith(text) });
    expect(seen.task).toMatchObject(HELD);
    expectNothingOut(seen, 'content');
  });

  it('when a path has it', async () => {
    const files = { 'src/sum.js': SUM, [`src/${base64(canary).replace(/=+$/, '')}.js`]: 'x\n' };
    const seen = await publish({ files });
    expect(seen.task).toMatchObject(HELD);
    expectNothingOut(seen, 'path');
  });

  it('and refused when the rules refuse the file anyway, with the sighting told', async () => {
    const files = { 'src/sum.js': SUM, 'src/blob.bin': `\0\0${canary}\0` };
    const seen = await publish({ files });
    expect(seen.task).toMatchObject({ state: 'rejected', stateReason: 'binary_content' });
    expect(seen.kinds).toContain('canary_seen');
  });

  it('and its twin, with other words in base64, is published', async () => {
    const text = base64(`nothing but ${'noise '.repeat(4)}`);
    const seen = await publish({ files: fixWith(text) });
    expect(seen.task.state).toBe('published');
    expect(seen.kinds).not.toContain('canary_seen');
  });
});

describe('a canary in what the agents say is held', () => {
  it.each([
    ['as it is', canary],
    ['in base64', base64(canary)],
    ['with signs between that nobody sees', Array.from(canary).join('\u200b')],
  ])('when the summary has it %s', async (_how, text) => {
    const seen = await publish({ summary: `I fixed it. ${text}` });
    expect(seen.task).toMatchObject(HELD);
    expectNothingOut(seen, 'hand_off');
  });

  it('when the launcher saw it before it was scrubbed', async () => {
    const seen = await publish({ summary: 'I fixed it. [redacted]', seenIn: 'hand_off' });
    expect(seen.task).toMatchObject(HELD);
    expectNothingOut(seen, null);
  });

  it('and its twin is published: the same words, where nothing was seen', async () => {
    const seen = await publish({ summary: 'I fixed it. [redacted]' });
    expect(seen.task.state).toBe('published');
  });

  it('and told beside a run that changed nothing', async () => {
    const repo = await addRepository(world);
    const one = await seedCollectedTask(world, { repo, changed: false, summary: base64(canary) });
    await world.deployment.admin.query('delete from canary');
    await world.deployment.admin.query(
      `insert into canary (step_id, value) select id, $2 from step where run_id = $1`,
      [one.runId, canary],
    );
    await world.publish(one.runId);
    const seen = await lookAt(world, one);
    expect(seen.task).toMatchObject({ state: 'rejected', stateReason: 'empty_change' });
    expect(seen.kinds).toContain('canary_seen');
  });
});
