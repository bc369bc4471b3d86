/** From deliveries to tasks: one task for one comment however it comes, and an end for everything else. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compareShape, isKnownEvent } from '../../../services/gate/src/delivery/event-shapes.ts';
import { handleDelivery } from '../../../services/gate/src/delivery/handle-delivery.ts';
import { sweep } from '../../../services/gate/src/sweep.ts';
import { readTimeline } from '@sallyport/shared/db/timeline';
import {
  commentPayload,
  createGateFixture,
  EXAMPLES,
  OWN_APP,
  type CommentPayload,
  type GateFixture,
} from './gate-fixture.ts';

let fixture: GateFixture;
beforeAll(async () => {
  fixture = await createGateFixture();
});
afterAll(() => fixture.close());

async function stateOf(
  deliveryId: string,
): Promise<{ state: string; reason: string | null; tasks: number }> {
  return fixture.row(
    `select state, state_reason as reason, (select count(*)::int from task where delivery_id = delivery.id) as tasks
     from delivery where id = $1`,
    [deliveryId],
  );
}

describe('a command', () => {
  it('becomes a task that knows where it came from, and a message about it', async () => {
    const payload = commentPayload('/agent fix this');
    const deliveryId = await fixture.deliver(payload);
    const taskId = await handleDelivery(fixture.gate, deliveryId);
    expect(await stateOf(deliveryId)).toEqual({ state: 'handled', reason: null, tasks: 1 });
    expect(await fixture.row('select * from task where id = $1', [taskId])).toMatchObject({
      state: 'received',
      verb: 'fix',
      act: 'pull_request',
      team: 'starter',
      subject_kind: 'issue',
      subject_number: 1,
      requester_login: payload.sender.login,
      comment_id: String(payload.comment.id),
      installation_id: String(payload.installation.id),
    });
    expect(
      await fixture.row('select owner, name from repository where id = $1', [
        payload.repository.id,
      ]),
    ).toEqual({
      owner: 'Codertocat',
      name: 'Hello-World',
    });
    const events = await readTimeline(fixture.gate.db, taskId ?? '');
    expect(events.map((e) => [e.kind, e.process])).toEqual([['delivery_stored', 'gate']]);
    expect(events[0]?.data).toMatchObject({ deliveryId, event: 'issue_comment' });
    expect(
      await fixture.rows(`select queue from outbox where data ->> 'taskId' = $1`, [taskId]),
    ).toEqual([{ queue: 'gate' }]);
  });

  it('becomes one task when its delivery is handled many times at once', async () => {
    const deliveryId = await fixture.deliver(commentPayload('/agent fix this'));
    const made = await Promise.all(
      Array.from({ length: 8 }, () => handleDelivery(fixture.gate, deliveryId)),
    );
    expect(made.filter((id) => id !== null)).toHaveLength(1);
    expect(await stateOf(deliveryId)).toEqual({ state: 'handled', reason: null, tasks: 1 });
  });

  it('becomes one task when it was delivered under several GUIDs', async () => {
    const payload = commentPayload('/agent fix this');
    const deliveries = [
      await fixture.deliver(payload),
      await fixture.deliver(payload),
      await fixture.deliver(payload),
    ];
    const made = await Promise.all(deliveries.map((id) => handleDelivery(fixture.gate, id)));
    expect(made.filter((id) => id !== null)).toHaveLength(1);
    const states = await Promise.all(deliveries.map(stateOf));
    expect(states.map((s) => s.state)).toEqual(['handled', 'handled', 'handled']);
    expect(states.filter((s) => s.reason === 'duplicate_event')).toHaveLength(2);
  });

  it('becomes a task of its own when it is another comment', async () => {
    const first = await handleDelivery(
      fixture.gate,
      await fixture.deliver(commentPayload('/agent fix this')),
    );
    const second = await handleDelivery(
      fixture.gate,
      await fixture.deliver(commentPayload('/agent fix this')),
    );
    expect(first).not.toBeNull();
    expect(second).not.toBeNull();
  });

  it('is stored with NUL and lone surrogates in its texts', async () => {
    const deliveryId = await fixture.deliver(
      commentPayload(
        '/agent fix --team \u0000 \u0000\ud800',
        (p) => (p.issue.title = '\udc00\u0000'),
      ),
    );
    expect(await handleDelivery(fixture.gate, deliveryId)).not.toBeNull();
  });

  it('renames what was renamed', async () => {
    const payload = commentPayload('/agent fix this', (p) => {
      p.repository.id = 777;
      p.repository['name'] = 'old';
    });
    await handleDelivery(fixture.gate, await fixture.deliver(payload));
    payload.repository['name'] = 'new';
    payload.comment.id += 500_000;
    await handleDelivery(fixture.gate, await fixture.deliver(payload));
    expect(await fixture.row('select name from repository where id = 777')).toEqual({
      name: 'new',
    });
  });
});

describe('everything else', () => {
  const user = { login: `${OWN_APP.slug}[bot]`, id: 1, type: 'Bot' };

  it.each<[string, string, (p: CommentPayload) => void]>([
    ['not_for_us', 'action_not_handled', (p) => (p['action'] = 'edited')],
    ['not_for_us', 'action_not_handled', (p) => (p['action'] = 'something_new')],
    [
      'not_for_us',
      'own_event',
      (p) => Object.assign(p, { sender: user, comment: { ...p.comment, user } }),
    ],
    [
      'not_for_us',
      'own_event',
      (p) => (p.comment['performed_via_github_app'] = { id: OWN_APP.id }),
    ],
    ['not_for_us', 'no_command', (p) => (p.comment.body = '```\n/agent fix\n```')],
    ['not_for_us', 'no_command', (p) => (p.comment.body = '> /agent fix')],
    ['not_for_us', 'no_command', (p) => (p.comment.body = '<!-- \n/agent fix\n-->')],
    ['not_for_us', 'no_installation', (p) => Reflect.deleteProperty(p, 'installation')],
    ['unusable', 'author_unknown', (p) => (p.comment['user'] = null)],
    ['unusable', 'sender_unknown', (p) => Object.assign(p, { sender: null })],
    ['unusable', 'malformed', (p) => (p.issue.number = 2 ** 31)],
  ])('is settled as %s, %s, without a task', async (state, reason, change) => {
    const deliveryId = await fixture.deliver(commentPayload('/agent fix', change));
    expect(await handleDelivery(fixture.gate, deliveryId)).toBeNull();
    expect(await stateOf(deliveryId)).toEqual({ state, reason, tasks: 0 });
  });

  it('is settled when the event in the header is not the one in the body', async () => {
    const comment = await fixture.deliver(commentPayload('/agent fix'), 'issues');
    const review = await fixture.deliver({ ...commentPayload('/agent fix'), pull_request: {} });
    for (const id of [comment, review]) {
      await handleDelivery(fixture.gate, id);
      expect(await stateOf(id)).toEqual({ state: 'unusable', reason: 'event_mismatch', tasks: 0 });
    }
  });

  it('is settled when it is no JSON or no text', async () => {
    const broken = await fixture.deliverBytes(Buffer.from('{"action":"created"'));
    const bytes = await fixture.deliverBytes(Buffer.from([0x7b, 0xed, 0xa0, 0x80, 0x7d]));
    await handleDelivery(fixture.gate, broken);
    await handleDelivery(fixture.gate, bytes);
    expect(await stateOf(broken)).toMatchObject({ state: 'unusable', reason: 'not_json' });
    expect(await stateOf(bytes)).toMatchObject({ state: 'unusable', reason: 'not_utf8' });
  });

  it('is settled when the database will not have it', async () => {
    const deliveryId = await fixture.deliver(commentPayload('/agent fix this'));
    const gate = { ...fixture.gate, teams: { ...fixture.gate.teams, defaultName: 'st\u0000rter' } };
    expect(await handleDelivery(gate, deliveryId)).toBeNull();
    expect(await stateOf(deliveryId)).toEqual({
      state: 'unusable',
      reason: 'not_storable',
      tasks: 0,
    });
  });

  it('is found by the sweep when its job was lost', async () => {
    const lost = await fixture.deliver(commentPayload('/agent fix this'));
    const nothing = await fixture.deliver(commentPayload('hello'));
    await sweep(fixture.gate, { deliverySeconds: 3600, taskSeconds: 3600, workSeconds: 3600 });
    expect(await stateOf(lost)).toMatchObject({ state: 'stored' });
    await sweep(fixture.gate, { deliverySeconds: 0, taskSeconds: 3600, workSeconds: 3600 });
    expect(await stateOf(lost)).toMatchObject({ state: 'handled', tasks: 1 });
    expect(await stateOf(nothing)).toMatchObject({ state: 'not_for_us' });
  });
});

describe("GitHub's published examples", () => {
  it('fit the shape of their own event, every one', () => {
    const known = EXAMPLES.filter((entry) => isKnownEvent(entry.name));
    expect(known.length).toBeGreaterThan(12);
    for (const { name, examples } of known) {
      for (const example of examples)
        expect([name, compareShape(name, example)]).toEqual([name, 'fits']);
    }
  });

  it('of other events never pass for a comment on an issue', () => {
    for (const { name, examples } of EXAMPLES.filter((entry) => entry.name !== 'issue_comment')) {
      for (const example of examples)
        expect([name, compareShape('issue_comment', example)]).toEqual([name, 'mismatch']);
    }
  });

  it('all come to an end', async () => {
    for (const { name, examples } of EXAMPLES) {
      const id = await fixture.deliver(examples[0], name);
      await handleDelivery(fixture.gate, id);
      expect((await stateOf(id)).state).toBe('not_for_us');
    }
  });
});
