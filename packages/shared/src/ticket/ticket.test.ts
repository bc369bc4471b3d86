import { createHmac, generateKeyPairSync } from 'node:crypto';
import { SignJWT } from 'jose';
import { expect, it } from 'vitest';
import { newId } from '../ids.ts';
import { TICKET_TYPE, type TicketClaims } from './claims.ts';
import { createTicketSigner } from './sign.ts';
import { readTicketKeys, verifyTicket } from './verify.ts';

const pair = generateKeyPairSync('ed25519');
const PRIVATE = pair.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
const PUBLIC = pair.publicKey.export({ type: 'spki', format: 'pem' }).toString();
const other = generateKeyPairSync('ed25519');
const signer = createTicketSigner(PRIVATE);
const keys = readTicketKeys(PUBLIC);
const NOW = new Date('2026-06-01T12:00:00Z');
const clock = { now: () => NOW };
const seconds = Math.floor(NOW.getTime() / 1000);

function claims(changes: Partial<TicketClaims> = {}): TicketClaims {
  return {
    iss: 'gate',
    aud: ['worker-launcher', 'publisher'],
    jti: newId(),
    iat: seconds,
    exp: seconds + 3600,
    task_id: newId(),
    run_id: newId(),
    act: 'pull_request',
    installation_id: 1,
    repository: { id: 2, owner: 'o', name: 'r' },
    subject: { kind: 'issue', number: 3 },
    requester: { id: 4, login: 'dev', role: 'write' },
    snapshot_sha256: 'a'.repeat(64),
    comment_id: 5,
    base: { ref: 'main', sha: 'b'.repeat(40) },
    start: { repository_id: 2, ref: 'main', sha: 'b'.repeat(40) },
    branch: 'agent/issue-3-0a1b2c3d',
    read_only: false,
    team: { name: 'starter', hash: 'c'.repeat(64) },
    policy_hash: 'd'.repeat(64),
    limits: { wall_seconds: 60, tokens: 0, cost_microusd: 0, steps: 1 },
    egress: [],
    ...changes,
  };
}

async function why(
  token: string,
  audience: 'publisher' | 'model-relay' = 'publisher',
  at = clock,
): Promise<unknown> {
  try {
    await verifyTicket(token, keys, audience, at);
    return 'accepted';
  } catch (error) {
    return (error as { detail?: { why?: string } }).detail?.why;
  }
}

it('gives back the claims that were signed', async () => {
  const signed = claims();
  expect(await verifyTicket(await signer.sign(signed), keys, 'publisher', clock)).toEqual(signed);
});

it('accepts either key while one replaces the other', async () => {
  const both = readTicketKeys(
    PUBLIC + other.publicKey.export({ type: 'spki', format: 'pem' }).toString(),
  );
  const newSigner = createTicketSigner(
    other.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  );
  for (const s of [signer, newSigner]) {
    await expect(
      verifyTicket(await s.sign(claims()), both, 'publisher', clock),
    ).resolves.toBeDefined();
  }
});

it('refuses what differs in one thing', async () => {
  const good = await signer.sign(claims());
  expect(await why(good)).toBe('accepted');
  const [head, body, signature] = good.split('.') as [string, string, string];
  const decoded = JSON.parse(Buffer.from(body, 'base64url').toString()) as TicketClaims;
  const encode = (value: unknown): string =>
    Buffer.from(JSON.stringify(value)).toString('base64url');

  expect(await why(good, 'model-relay')).toBe('claims');
  expect(await why(good, 'publisher', { now: () => new Date(NOW.getTime() + 3700_000) })).toBe(
    'expired',
  );
  expect(
    await why([head, encode({ ...decoded, branch: 'agent/other-1' }), signature].join('.')),
  ).toBe('signature');
  expect(
    await why([encode({ alg: 'none', typ: TICKET_TYPE, kid: signer.kid }), body, ''].join('.')),
  ).toBe('signature');
  const hs = [encode({ alg: 'HS256', typ: TICKET_TYPE, kid: signer.kid }), body].join('.');
  expect(await why(`${hs}.${createHmac('sha256', PUBLIC).update(hs).digest('base64url')}`)).toBe(
    'signature',
  );
  expect(
    await why(
      await createTicketSigner(
        other.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
      ).sign(claims()),
    ),
  ).toBe('unknown_key');
  expect(await why('rubbish')).toBe('malformed');
  expect(await why('x'.repeat(9000))).toBe('malformed');
});

it('refuses a token of another type or without an end, though our key signed it', async () => {
  const sign = (typ: string | undefined, payload: Record<string, unknown>): Promise<string> =>
    new SignJWT(payload)
      .setProtectedHeader({ alg: 'EdDSA', kid: signer.kid, ...(typ === undefined ? {} : { typ }) })
      .sign(pair.privateKey);
  const { exp: _, ...endless } = claims();
  expect(await why(await sign(TICKET_TYPE, { ...claims() }))).toBe('accepted');
  expect(await why(await sign('other+jwt', { ...claims() }))).toBe('claims');
  expect(await why(await sign(undefined, { ...claims() }))).toBe('claims');
  expect(await why(await sign(TICKET_TYPE, endless))).toBe('claims');
  expect(await why(await sign(TICKET_TYPE, { ...claims(), more: 1 }))).toBe('claims');
});

it('signs no branch name that git could read as something else', () => {
  for (const branch of [
    'main',
    'agent/../main',
    'agent/x.lock',
    'agent/-x',
    'agent/x y',
    'agent',
    'agent/é',
    'agent/x/y',
  ]) {
    expect(() => signer.sign(claims({ branch }))).toThrow(/branch/);
  }
});

it('takes Ed25519 keys alone', () => {
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
  expect(() =>
    createTicketSigner(rsa.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()),
  ).toThrow(/Ed25519/);
  expect(() => createTicketSigner('nonsense')).toThrow(/no PEM key/);
  expect(() => readTicketKeys('nonsense')).toThrow(/no ticket public key/);
});
