import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { createAttemptLimit } from './attempt-limit.ts';
import { isOperatorToken, isSameSecret } from './operator-token.ts';
import { isFromOwnPage } from './same-origin.ts';
import { createSessions, SESSION_HOURS } from './sessions.ts';

const sha256 = createHash('sha256').update('right').digest('hex');

it('knows the operator token by its hash, and no other text by it', () => {
  expect(isOperatorToken('right', sha256)).toBe(true);
  expect(
    ['', 'wrong', 'right ', sha256, 'x'.repeat(5000)].map((t) => isOperatorToken(t, sha256)),
  ).toEqual(Array(5).fill(false));
});

it('compares two secrets whatever their lengths', () => {
  expect(isSameSecret('a', 'a')).toBe(true);
  expect(isSameSecret('a', 'aa')).toBe(false);
});

it('keeps a session until it is closed or its time is over', () => {
  let now = 0;
  const sessions = createSessions(() => now);
  const first = sessions.open('ada');
  const second = sessions.open('bob');
  expect(sessions.find(first.id)?.name).toBe('ada');
  expect(first.session.csrf).not.toBe(second.session.csrf);
  sessions.close(second.id);
  expect(sessions.find(second.id)).toBeUndefined();
  now = SESSION_HOURS * 3600 * 1000 - 1;
  expect(sessions.find(first.id)).toBeDefined();
  now += 1;
  expect(sessions.find(first.id)).toBeUndefined();
});

it('forgets the oldest session rather than grow without bound', () => {
  const sessions = createSessions(() => 0);
  const ids = Array.from({ length: 201 }, (_, i) => sessions.open(`n${i}`).id);
  expect(ids.filter((id) => sessions.find(id) === undefined)).toEqual([ids[0]]);
});

it('stops one address after its failures, lets another try, and begins anew after a minute', () => {
  let now = 0;
  const limit = createAttemptLimit(() => now, { perAddress: 2, overall: 100 });
  limit.countFailure('192.0.2.1');
  expect(limit.mayTry('192.0.2.1')).toBe(true);
  limit.countFailure('::ffff:192.0.2.1');
  expect(limit.mayTry('192.0.2.1')).toBe(false);
  expect(limit.mayTry('192.0.2.2')).toBe(true);
  now = 60_000;
  expect(limit.mayTry('192.0.2.1')).toBe(true);
});

it('counts a network of IPv6 addresses as one, and another as another', () => {
  const limit = createAttemptLimit(() => 0, { perAddress: 1, overall: 100 });
  limit.countFailure('2001:db8::1');
  expect(limit.mayTry('2001:db8:0:0:ffff::2')).toBe(false);
  expect(limit.mayTry('2001:db8:0:1::1')).toBe(true);
});

it('stops everybody when all addresses together fail too often', () => {
  const limit = createAttemptLimit(() => 0, { perAddress: 10, overall: 3 });
  for (const n of [1, 2, 3]) limit.countFailure(`192.0.2.${n}`);
  expect(limit.mayTry('192.0.2.9')).toBe(false);
});

it.each([
  ['its own origin', { host: 'c:1', origin: 'http://c:1' }, true],
  ['its own site', { host: 'c:1', 'sec-fetch-site': 'same-origin' }, true],
  [
    'its own origin behind a proxy',
    { host: 'up', 'x-forwarded-host': 'c', origin: 'https://c' },
    true,
  ],
  ['another origin', { host: 'c:1', origin: 'http://d:1' }, false],
  ['another port', { host: 'c:1', origin: 'http://c:2' }, false],
  ['an opaque origin', { host: 'c:1', origin: 'null' }, false],
  ['a neighbour site', { host: 'c:1', 'sec-fetch-site': 'same-site' }, false],
  [
    'another site with its own origin',
    { host: 'c:1', origin: 'http://c:1', 'sec-fetch-site': 'cross-site' },
    false,
  ],
  ['no word of where it comes from', { host: 'c:1' }, false],
])('tells a request from %s', (_name, headers, own) => {
  expect(isFromOwnPage(headers)).toBe(own);
});
