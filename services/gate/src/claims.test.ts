/** Tickets: what is in one comes from the snapshot and the operator, and its shape is the one that everybody checks. */
import { SnapshotSchema } from '@sallyport/shared/task/snapshot';
import { TicketClaimsSchema } from '@sallyport/shared/ticket/claims';
import { expect, it } from 'vitest';
import { fixClaims } from './claims.ts';

const ID = '019df000-0000-7000-8000-000000000001';
const HASH = 'a'.repeat(64);

const SNAPSHOT = SnapshotSchema.parse({
  v: 1,
  delivery: { id: ID, guid: 'g', event: 'issue_comment' },
  repository: { id: 33, owner: 'octo-org', name: 'hello' },
  installationId: 44,
  subject: { kind: 'issue', number: 12, title: 't', body: '', authorId: null, updatedAt: '' },
  trigger: {
    kind: 'issue_comment',
    id: 900,
    authorId: 5,
    authorLogin: 'octo-cat',
    text: '/agent fix',
    textSha256: HASH,
    createdAt: '2026-01-02T03:04:05Z',
    updatedAt: '2026-01-02T03:04:05Z',
  },
  requester: { id: 5, login: 'octo-cat', role: 'write' },
  command: { verb: 'fix', text: '', team: 'starter' },
  base: { ref: 'main', sha: 'b'.repeat(40) },
});

it('permits one pull request from the base of the snapshot, for a day', () => {
  const claims = fixClaims({
    jti: ID,
    now: new Date('2026-01-02T03:04:05.900Z'),
    taskId: ID,
    runId: ID,
    snapshot: SNAPSHOT,
    snapshotSha256: HASH,
    branch: 'agent/issue-12-00000000',
    teamHash: HASH,
    policyHash: HASH,
    limits: { wallSeconds: 1, tokens: 2, costMicrousd: 3, steps: 4 },
  });
  expect(TicketClaimsSchema.parse(claims)).toEqual(claims);
  expect(claims.exp - claims.iat).toBe(24 * 3600);
  expect(claims).toMatchObject({
    iat: 1_767_323_045,
    act: 'pull_request',
    read_only: false,
    repository: { id: 33, owner: 'octo-org', name: 'hello' },
    subject: { kind: 'issue', number: 12 },
    requester: { id: 5, login: 'octo-cat', role: 'write' },
    comment_id: 900,
    start: { repository_id: 33, ref: 'main', sha: 'b'.repeat(40) },
    team: { name: 'starter', hash: HASH },
    limits: { wall_seconds: 1, tokens: 2, cost_microusd: 3, steps: 4 },
    egress: ['model'],
  });
  expect(claims.base).toEqual({ ref: claims.start.ref, sha: claims.start.sha });
});
