/** The ticket of a collected task, as the gate would sign it, or in one way otherwise. */
import { DEFAULT_POLICY, hashPolicy } from '@sallyport/policy/policy-config';
import { newId } from '@sallyport/shared/ids';
import type { Snapshot } from '@sallyport/shared/task/snapshot';
import { TICKET_ISSUER, type TicketClaims } from '@sallyport/shared/ticket/claims';
import type { CollectedOptions } from './collected-task.ts';
import type { PublisherWorld } from './publisher-world.ts';

interface Issuing extends CollectedOptions {
  seeded: { taskId: string; installationId: number };
  runId: string;
  frozen: Snapshot;
  sha256: string;
  branch: string;
}

/** Signs the ticket and puts it where the publisher looks. Returns what was signed. */
export async function issueTicket(world: PublisherWorld, issuing: Issuing): Promise<TicketClaims> {
  const { repo, frozen } = issuing;
  const now = Math.floor(Date.now() / 1000);
  const claims: TicketClaims = {
    iss: TICKET_ISSUER,
    aud: ['worker-launcher', 'publisher'],
    jti: newId(),
    iat: now,
    exp: now + 3600,
    task_id: issuing.seeded.taskId,
    run_id: issuing.runId,
    act: 'pull_request',
    installation_id: issuing.seeded.installationId,
    repository: { id: repo.id, owner: repo.owner, name: repo.name },
    subject: { kind: 'issue', number: frozen.subject.number },
    requester: frozen.requester,
    snapshot_sha256: issuing.sha256,
    comment_id: frozen.trigger.id,
    base: frozen.base,
    start: { repository_id: repo.id, ref: frozen.base.ref, sha: frozen.base.sha },
    branch: issuing.branch,
    read_only: false,
    team: { name: 'starter', hash: '1'.repeat(64) },
    policy_hash: hashPolicy(DEFAULT_POLICY),
    limits: { wall_seconds: 600, tokens: 0, cost_microusd: 0, steps: 10 },
    egress: [],
  };
  const signed = issuing.claims?.(claims) ?? claims;
  const kind = issuing.ticket ?? 'signed';
  if (kind === 'missing') return signed;
  const token = await world.keys.signer.sign(signed);
  // One letter within the claims: the signature no longer fits.
  const flipped = token.replace(
    /\.(.{40})(.)/,
    (_, head: string, letter: string) => `.${head}${letter === 'A' ? 'B' : 'A'}`,
  );
  await world.deployment.admin.query(
    `insert into ticket (jti, task_id, run_id, kid, token, expires_at, revoked_at)
     values ($1, $2, $3, $4, $5, to_timestamp($6), $7)`,
    [
      claims.jti,
      issuing.seeded.taskId,
      issuing.runId,
      world.keys.signer.kid,
      kind === 'altered' ? flipped : token,
      signed.exp,
      kind === 'revoked' ? new Date() : null,
    ],
  );
  return signed;
}
