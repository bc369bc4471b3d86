/** Deliveries: what is a command, what is not for us, what cannot be used; and that every byte sequence gets an answer. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseDelivery, type ParsedDelivery } from './parse-delivery.ts';

const OWN = { id: 77, slug: 'sally' };

interface Mutable {
  [key: string]: unknown;
}

function payload(): Mutable & { comment: Mutable; issue: Mutable; repository: Mutable } {
  const user = { id: 5, login: 'octo-cat', type: 'User' };
  return {
    action: 'created',
    issue: { number: 12, title: 'Broken', body: null, user },
    comment: {
      id: 900,
      body: '/agent fix this',
      user,
      created_at: '2026-01-02T03:04:05Z',
      updated_at: '2026-01-02T03:04:05Z',
      performed_via_github_app: null,
    },
    repository: { id: 33, name: 'hello.world', owner: { login: 'octo-org' } },
    installation: { id: 44 },
    sender: { ...user },
  };
}

function parse(
  change: (p: ReturnType<typeof payload>) => void = () => {},
  event = 'issue_comment',
): ParsedDelivery {
  const changed = payload();
  change(changed);
  return parseBody(Buffer.from(JSON.stringify(changed)), event);
}

function parseBody(
  body: Buffer,
  event = 'issue_comment',
  contentType: 'json' | 'form' = 'json',
): ParsedDelivery {
  return parseDelivery({ event, contentType, body }, OWN);
}

describe('a command', () => {
  it('is read with everything that a task needs', () => {
    expect(parse()).toEqual({
      kind: 'command',
      sourceKey: '33:issue_comment:900:2026-01-02T03:04:05Z',
      installationId: 44,
      repository: { id: 33, owner: 'octo-org', name: 'hello.world' },
      subject: { kind: 'issue', number: 12, title: 'Broken', body: '' },
      comment: {
        id: 900,
        text: '/agent fix this',
        createdAt: '2026-01-02T03:04:05Z',
        updatedAt: '2026-01-02T03:04:05Z',
      },
      requester: { id: 5, login: 'octo-cat' },
      command: { verb: 'fix', team: null, text: 'this' },
    });
  });

  it('is read from a form as from JSON', () => {
    const text = JSON.stringify({ ...payload(), issue: { ...payload().issue, title: 'é😊+ &' } });
    const form = Buffer.from(new URLSearchParams({ payload: text }).toString());
    expect(parseBody(form, 'issue_comment', 'form')).toMatchObject({
      kind: 'command',
      subject: { title: 'é😊+ &' },
    });
    expect(parseBody(form, 'issue_comment', 'json')).toEqual({
      kind: 'unusable',
      reason: 'not_json',
    });
  });

  it('may stand on a pull request', () => {
    expect(parse((p) => (p.issue['pull_request'] = { url: 'x' }))).toMatchObject({
      subject: { kind: 'pull_request' },
    });
  });

  it('survives NUL and lone surrogates in the texts', () => {
    const text = '/agent fix \u0000 \ud800 this';
    const parsed = parse((p) => {
      p.comment['body'] = text;
      p.issue['title'] = '\udfff\u0000';
    });
    expect(parsed).toMatchObject({
      kind: 'command',
      comment: { text },
      subject: { title: '\udfff\u0000' },
    });
  });
});

describe('what is not for us', () => {
  it.each(['edited', 'deleted', 'pinned', ''])('includes the action %j', (action) => {
    expect(parse((p) => (p['action'] = action))).toEqual({
      kind: 'not_for_us',
      reason: 'action_not_handled',
    });
  });

  it.each(['', 'fine', '> /agent fix', '```\n/agent fix\n```'])(
    'includes the comment %j',
    (body) => {
      expect(parse((p) => (p.comment['body'] = body))).toEqual({
        kind: 'not_for_us',
        reason: 'no_command',
      });
      expect(parse((p) => (p.comment['body'] = null))).toEqual({
        kind: 'not_for_us',
        reason: 'no_command',
      });
    },
  );

  it('includes our own comments, by sender, by author and by App', () => {
    const own = { kind: 'not_for_us', reason: 'own_event' };
    const bot = { id: 6, login: 'Sally[bot]', type: 'Bot' };
    expect(parse((p) => (p['sender'] = bot))).toEqual(own);
    expect(parse((p) => (p.comment['user'] = bot))).toEqual(own);
    expect(parse((p) => (p.comment['performed_via_github_app'] = { id: 77 }))).toEqual(own);
    expect(parse((p) => (p.comment['performed_via_github_app'] = { id: 78 }))).toMatchObject({
      kind: 'command',
    });
  });

  it('includes other bots, whatever they are called, and no human with a name like one', () => {
    const refused = { kind: 'not_for_us', reason: 'bot_author' };
    for (const bot of [
      { id: 6, login: 'x[bot]', type: 'User' },
      { id: 6, login: 'copilot', type: 'Bot' },
    ]) {
      expect(
        parse((p) => {
          p.comment['user'] = bot;
          p['sender'] = bot;
        }),
      ).toEqual(refused);
    }
    const human = { id: 6, login: 'robot', type: 'User' };
    expect(
      parse((p) => {
        p.comment['user'] = human;
        p['sender'] = human;
      }),
    ).toMatchObject({ kind: 'command' });
  });

  it('includes what came from a hook that is no App', () => {
    expect(parse((p) => delete p['installation'])).toEqual({
      kind: 'not_for_us',
      reason: 'no_installation',
    });
    expect(parse((p) => (p['installation'] = null))).toEqual({
      kind: 'not_for_us',
      reason: 'no_installation',
    });
  });

  it('includes events that nobody here handles, unread', () => {
    expect(parseBody(Buffer.from([0xff]), 'star')).toEqual({
      kind: 'not_for_us',
      reason: 'event_not_handled',
    });
    const issues = Buffer.from('{"action":"opened","issue":{}}');
    expect(parseBody(issues, 'issues')).toEqual({
      kind: 'not_for_us',
      reason: 'event_not_handled',
    });
  });
});

describe('what cannot be used', () => {
  it('includes a payload under the name of another event', () => {
    for (const event of ['issues', 'pull_request_review_comment', 'push']) {
      expect(parse(() => {}, event)).toEqual({ kind: 'unusable', reason: 'event_mismatch' });
    }
    expect(parse((p) => (p['pull_request'] = {}))).toEqual({
      kind: 'unusable',
      reason: 'event_mismatch',
    });
  });

  it.each([
    ['not_utf8', Buffer.from([0x7b, 0xed, 0xa0, 0x80, 0x7d])],
    ['not_json', Buffer.from('{"a":')],
    ['not_json', Buffer.from('{"a":"\u0000"}')],
    ['not_json', Buffer.alloc(0)],
    ['not_an_object', Buffer.from('[]')],
    ['not_an_object', Buffer.from('null')],
  ])('includes bytes that are %s', (reason, body) => {
    expect(parseBody(body)).toEqual({ kind: 'unusable', reason });
  });

  it('includes commands of nobody', () => {
    expect(parse((p) => (p.comment['user'] = null))).toEqual({
      kind: 'unusable',
      reason: 'author_unknown',
    });
    expect(parse((p) => (p['sender'] = null))).toEqual({
      kind: 'unusable',
      reason: 'sender_unknown',
    });
    expect(parse((p) => delete p['sender'])).toEqual({
      kind: 'unusable',
      reason: 'sender_unknown',
    });
    // Null is not equal to null: two unknown accounts are not the same one.
    expect(
      parse((p) => {
        p['sender'] = null;
        p.comment['user'] = null;
      }),
    ).toEqual({ kind: 'unusable', reason: 'author_unknown' });
  });

  it('includes a comment that somebody else sent', () => {
    expect(parse((p) => (p['sender'] = { id: 9, login: 'octo-cat' }))).toEqual({
      kind: 'unusable',
      reason: 'sender_is_not_author',
    });
  });

  it.each([
    [
      'an id beyond what a number holds',
      (p: ReturnType<typeof payload>) => (p.comment['id'] = 2 ** 53),
    ],
    [
      'an issue number beyond what a column holds',
      (p: ReturnType<typeof payload>) => (p.issue['number'] = 2 ** 31),
    ],
    ['an id that is text', (p: ReturnType<typeof payload>) => (p.repository['id'] = '33')],
    ['a name with a slash', (p: ReturnType<typeof payload>) => (p.repository['name'] = '../x')],
    [
      'a login with a NUL',
      (p: ReturnType<typeof payload>) => (p.comment['user'] = { id: 5, login: 'a\u0000' }),
    ],
    ['a time that is none', (p: ReturnType<typeof payload>) => (p.comment['created_at'] = 'now')],
    ['no title', (p: ReturnType<typeof payload>) => delete p.issue['title']],
    ['an action that is no text', (p: ReturnType<typeof payload>) => (p['action'] = 1)],
    [
      'a comment that is a list',
      (p: ReturnType<typeof payload>) => ((p as Mutable)['comment'] = []),
    ],
  ])('includes %s', (_what, change) => {
    expect(parse(change)).toEqual({ kind: 'unusable', reason: 'malformed' });
  });
});

describe('parsing', () => {
  it('answers for any bytes, and keeps keys from becoming prototypes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        expect(parseBody(Buffer.from(bytes)).kind).toBe('unusable');
      }),
    );
    const body = JSON.stringify(payload()).replace('{', '{"__proto__":{"polluted":true},');
    expect(parseBody(Buffer.from(body)).kind).toBe('command');
    expect((parseBody(Buffer.from(body)) as unknown as Mutable)['polluted']).toBeUndefined();
  });

  it('answers for a payload in which any one value is another', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('action', 'issue', 'comment', 'repository', 'installation', 'sender'),
        fc.jsonValue(),
        (key, value) => {
          const parsed = parse((p) => ((p as Mutable)[key] = value));
          expect(['command', 'not_for_us', 'unusable']).toContain(parsed.kind);
        },
      ),
    );
  });
});
