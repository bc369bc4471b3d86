/** Intake over real connections and a real database: what is stored, what is refused, and that a refusal stores nothing. */
import { createHash, randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { createPool } from '@sallyport/shared/db/pool';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  createTestDeployment,
  type TestDeployment,
} from '../../support/deployment/test-deployment.ts';
import {
  deliver,
  headersFor,
  PREVIOUS_SECRET,
  sign,
  startIntake,
  type Intake,
} from './intake-client.ts';

const MIB = 1024 * 1024;

let deployment: TestDeployment;
let intake: Intake;
beforeAll(async () => {
  deployment = await createTestDeployment();
  intake = await startIntake(deployment.pool('intake'));
});
afterAll(async () => {
  await intake.close();
  await deployment.close();
});
beforeEach(async () => {
  await deployment.admin.query('delete from outbox');
  await deployment.admin.query('delete from delivery');
  intake.lines.length = 0;
});

async function count(): Promise<{ deliveries: number; messages: number }> {
  const { rows } = await deployment.admin.query<{ deliveries: number; messages: number }>(
    'select (select count(*)::int from delivery) as deliveries, (select count(*)::int from outbox) as messages',
  );
  return rows[0] ?? { deliveries: -1, messages: -1 };
}

function jsonOf(bytes: number): Buffer {
  const frame = '{"a":""}';
  return Buffer.from(frame.replace('""', `"${'x'.repeat(bytes - frame.length)}"`));
}

describe('a good delivery', () => {
  it('is stored byte for byte with one message, and answered with its id', async () => {
    const body = Buffer.from(' {"b":1.0,"a":"é😊\\u0000\\ud800", "a":"\\/\u2028"}\n');
    const guid = randomUUID();
    const answer = await deliver(intake, body, { 'x-github-delivery': guid });
    expect(answer.status).toBe(202);
    const { rows } = await deployment.admin.query('select * from delivery');
    expect(rows).toHaveLength(1);
    expect(rows[0]).toMatchObject({
      id: answer.body.delivery,
      guid,
      event: 'issue_comment',
      target_type: 'integration',
      target_id: '79929171',
      content_type: 'json',
      state: 'stored',
      body_sha256: createHash('sha256').update(body).digest('hex'),
    });
    expect((rows[0] as { body: Buffer }).body.equals(body)).toBe(true);
    const messages = await deployment.admin.query('select process, queue, data from outbox');
    expect(messages.rows).toEqual([
      { process: 'intake', queue: 'gate', data: { v: 1, deliveryId: answer.body.delivery } },
    ]);
    expect(JSON.stringify((rows[0] as { headers: unknown }).headers)).not.toContain('sha256=');
  });

  it('may be a form', async () => {
    const body = new URLSearchParams({ payload: '{"a":"é"}' }).toString();
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    expect((await deliver(intake, body, form)).status).toBe(202);
    expect((await deliver(intake, '{"a":1}', form)).body.error?.code).toBe('not_json');
    expect(await count()).toEqual({ deliveries: 1, messages: 1 });
  });

  it('may be signed with the previous secret, and with no third one', async () => {
    const previous = sign('{}', PREVIOUS_SECRET);
    expect((await deliver(intake, '{}', { 'x-hub-signature-256': previous })).status).toBe(202);
    const other = sign('{}', `${PREVIOUS_SECRET}!`);
    expect((await deliver(intake, '{}', { 'x-hub-signature-256': other })).status).toBe(401);
    expect(await count()).toEqual({ deliveries: 1, messages: 1 });
  });

  it('is stored under whatever event its header names: the signature does not cover headers', async () => {
    const body = '{"action":"created","comment":{},"issue":{}}';
    expect((await deliver(intake, body)).status).toBe(202);
    expect((await deliver(intake, body, { 'x-github-event': 'issues' })).status).toBe(202);
    const { rows } = await deployment.admin.query(
      'select event, body_sha256 from delivery order by event',
    );
    expect(rows.map((row) => (row as { event: string }).event)).toEqual([
      'issue_comment',
      'issues',
    ]);
  });

  it.each([[1.1 * MIB], [24.9 * MIB], [25 * MIB]])('may have %d bytes', async (bytes) => {
    const body = jsonOf(Math.floor(bytes));
    expect((await deliver(intake, body)).status).toBe(202);
    const { rows } = await deployment.admin.query(
      'select body_sha256, length(body) as bytes from delivery',
    );
    expect(rows).toEqual([
      { body_sha256: createHash('sha256').update(body).digest('hex'), bytes: body.length },
    ]);
  });

  it('may come without its length', async () => {
    const body = jsonOf(3 * MIB);
    const response = await fetch(`http://127.0.0.1:${intake.port}/github/webhook`, {
      method: 'POST',
      headers: headersFor(body),
      body: new Blob([new Uint8Array(body)]).stream(),
      duplex: 'half',
    });
    expect(response.status).toBe(202);
  });
});

describe('a repeated delivery', () => {
  it('is answered as a duplicate and stored once, also twenty at once', async () => {
    const changes = { 'x-github-delivery': randomUUID() };
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => deliver(intake, '{"a":1}', changes)),
    );
    expect(answers.map((a) => a.status).toSorted((a, b) => a - b)).toEqual([
      ...Array.from({ length: 19 }, () => 200),
      202,
    ]);
    expect(answers.filter((a) => a.status === 200).every((a) => a.body.duplicate === true)).toBe(
      true,
    );
    expect(await count()).toEqual({ deliveries: 1, messages: 1 });
    expect((await deliver(intake, '{"a":1}', changes)).body).toEqual({ duplicate: true });
    const elsewhere = { ...changes, 'x-github-hook-installation-target-id': '1' };
    expect((await deliver(intake, '{"a":1}', elsewhere)).status).toBe(202);
  });
});

describe('a refused delivery', () => {
  afterEach(async () => {
    const stored = await count();
    if (stored.deliveries + stored.messages > 0) throw new Error('something was stored');
  });

  it.each([
    ['a signature over other bytes', { 'x-hub-signature-256': sign('{"a": 1}') }],
    ['no signature', { 'x-hub-signature-256': undefined }],
    [
      'the old kind of signature alone',
      { 'x-hub-signature-256': undefined, 'x-hub-signature': 'sha1=aa' },
    ],
    ['half a signature', { 'x-hub-signature-256': sign('{"secret":"body"}').slice(0, 39) }],
    ['a signature in capitals', { 'x-hub-signature-256': sign('{"secret":"body"}').toUpperCase() }],
  ])('has %s: 401, and one line that does not show the body', async (_what, changes) => {
    const answer = await deliver(intake, '{"secret":"body"}', changes);
    expect(answer.status).toBe(401);
    expect(answer.body.error?.code).toBe('bad_signature');
    expect(intake.lines).toHaveLength(1);
    expect(intake.lines[0]).not.toContain('body"}');
    expect(intake.lines[0]).toContain('bad_signature');
  });

  it('is no JSON: 400, but only once its signature is right', async () => {
    expect((await deliver(intake, 'Hello, World!')).body.error?.code).toBe('not_json');
    const wrong = await deliver(intake, 'Hello, World!', { 'x-hub-signature-256': sign('x') });
    expect(wrong.status).toBe(401);
  });

  it('has another content type: 415', async () => {
    for (const contentType of ['text/plain', 'multipart/form-data; boundary=x', undefined]) {
      const body = Buffer.from('{}');
      expect((await deliver(intake, body, { 'content-type': contentType })).status).toBe(415);
    }
  });

  it('lacks a header or has an ill-formed one: 400 that names it', async () => {
    const answer = await deliver(intake, '{}', { 'x-github-event': 'Issue Comment' });
    expect(answer.status).toBe(400);
    expect(answer.body.error?.message).toContain('x-github-event');
    expect((await deliver(intake, '{}', { 'x-github-delivery': 'g'.repeat(65) })).status).toBe(400);
    expect(
      (await deliver(intake, '{}', { 'x-github-hook-installation-target-id': undefined })).status,
    ).toBe(400);
  });

  it('is one byte too long: 413 with the bound, whether it says so before or not', async () => {
    const body = jsonOf(25 * MIB + 1);
    const answer = await deliver(intake, body);
    expect(answer.status).toBe(413);
    expect(answer.body.error?.message).toContain(String(25 * MIB));
    const response = await fetch(`http://127.0.0.1:${intake.port}/github/webhook`, {
      method: 'POST',
      headers: headersFor(body),
      body: new Blob([new Uint8Array(body)]).stream(),
      duplex: 'half',
    });
    expect(response.status).toBe(413);
  });

  it('is cut off by its sender', async () => {
    const socket = connect(intake.port, '127.0.0.1');
    const body = jsonOf(2 * MIB);
    const head = Object.entries(headersFor(body))
      .map(([name, value]) => `${name}: ${value}`)
      .join('\r\n');
    socket.write(
      `POST /github/webhook HTTP/1.1\r\nhost: x\r\n${head}\r\ncontent-length: ${body.length}\r\n\r\n`,
    );
    socket.write(body.subarray(0, MIB));
    await sleep(200);
    socket.destroy();
    await expect.poll(() => intake.lines.length).toBe(1);
    expect(intake.lines[0]).toContain('cut_short');
  });

  it('went to another path or method: 404', async () => {
    const base = `http://127.0.0.1:${intake.port}`;
    expect((await fetch(`${base}/github/webhook`)).status).toBe(404);
    expect((await fetch(`${base}/`, { method: 'POST', body: '{}' })).status).toBe(404);
    expect((await fetch(`${base}/health`)).status).toBe(200);
  });
});

describe('bounds', () => {
  it('keeps three large bodies in hand, sends the fourth away for a moment, and takes small ones all the while', async () => {
    const sockets = [1, 2, 3].map(() => {
      const socket = connect(intake.port, '127.0.0.1').on('error', () => {});
      const head = Object.entries(headersFor('{'))
        .map(([name, value]) => `${name}: ${value}`)
        .join('\r\n');
      socket.write(
        `POST /github/webhook HTTP/1.1\r\nhost: x\r\n${head}\r\ncontent-length: ${25 * MIB}\r\n\r\n{`,
      );
      return socket;
    });
    await sleep(300);
    const fourth = await deliver(intake, jsonOf(2 * MIB));
    expect(fourth.status).toBe(503);
    expect(fourth.headers.get('retry-after')).toBe('5');
    expect(fourth.body.error?.code).toBe('busy');
    expect((await deliver(intake, '{"a":1}')).status).toBe(202);
    for (const socket of sockets) socket.destroy();
    await expect.poll(async () => (await deliver(intake, jsonOf(2 * MIB))).status).toBe(202);
  });

  it('ends a request that does not come to its end', async () => {
    const slow = await startIntake(deployment.pool('intake'), {
      requestTimeoutMs: 600,
      headersTimeoutMs: 300,
    });
    try {
      for (const start of [
        'POST /github/webhook HTTP/1.1\r\nhost: x\r\nx-github-event: issu',
        `POST /github/webhook HTTP/1.1\r\nhost: x\r\n${Object.entries(headersFor('{'))
          .map(([n, v]) => `${n}: ${v}`)
          .join('\r\n')}\r\ncontent-length: 2\r\n\r\n{`,
      ]) {
        const begun = Date.now();
        const reply = await new Promise<string>((resolve) => {
          let text = '';
          const socket = connect(slow.port, '127.0.0.1').on('error', () => {});
          socket
            .on('data', (data) => (text += data.toString('latin1')))
            .on('close', () => resolve(text));
          socket.write(start);
        });
        expect(reply).toMatch(/^(?:HTTP\/1\.1 408|$)/);
        expect(Date.now() - begun).toBeLessThan(5000);
      }
    } finally {
      await slow.close();
    }
  });

  it('never says yes while Postgres is away: 503, to be delivered again', async () => {
    const gone = createPool({
      url: 'postgresql://nobody:x@127.0.0.1:1/none',
      deployment: deployment.id,
      process: 'intake',
    });
    const alone = await startIntake(gone, { isHealthy: () => Promise.resolve(false) });
    try {
      const answer = await deliver(alone, '{"a":1}');
      expect(answer.status).toBe(503);
      expect(answer.body.error?.code).toBe('unavailable');
      expect(answer.headers.get('retry-after')).toBe('5');
      expect((await fetch(`http://127.0.0.1:${alone.port}/health`)).status).toBe(503);
      expect((await deliver(alone, '{"a":1}', { 'x-hub-signature-256': sign('x') })).status).toBe(
        401,
      );
    } finally {
      await alone.close();
      await gone.end();
    }
  });
});
