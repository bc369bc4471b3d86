/** What the ticket of an admitted `fix` says. Everything in it comes from the snapshot and from the operator, nothing from the payload's wishes. */
import type { Snapshot } from '@sallyport/shared/task/snapshot';
import {
  TICKET_AUDIENCES,
  TICKET_ISSUER,
  type TicketClaims,
} from '@sallyport/shared/ticket/claims';

export const TICKET_LIFETIME_SECONDS = 24 * 3600;

export interface TicketLimits {
  wallSeconds: number;
  tokens: number;
  costMicrousd: number;
  steps: number;
}

export interface ClaimsInput {
  jti: string;
  now: Date;
  taskId: string;
  runId: string;
  snapshot: Snapshot;
  snapshotSha256: string;
  branch: string;
  teamHash: string;
  policyHash: string;
  limits: TicketLimits;
}

/** The claims of a run that turns an issue into a pull request. */
export function fixClaims(input: ClaimsInput): TicketClaims {
  const { snapshot, limits } = input;
  const issuedAt = Math.floor(input.now.getTime() / 1000);
  return {
    iss: TICKET_ISSUER,
    aud: [...TICKET_AUDIENCES],
    jti: input.jti,
    iat: issuedAt,
    exp: issuedAt + TICKET_LIFETIME_SECONDS,
    task_id: input.taskId,
    run_id: input.runId,
    act: 'pull_request',
    installation_id: snapshot.installationId,
    repository: snapshot.repository,
    subject: { kind: snapshot.subject.kind, number: snapshot.subject.number },
    requester: snapshot.requester,
    snapshot_sha256: input.snapshotSha256,
    comment_id: snapshot.trigger.id,
    base: snapshot.base,
    start: {
      repository_id: snapshot.repository.id,
      ref: snapshot.base.ref,
      sha: snapshot.base.sha,
    },
    branch: input.branch,
    read_only: false,
    team: { name: snapshot.command.team, hash: input.teamHash },
    policy_hash: input.policyHash,
    limits: {
      wall_seconds: limits.wallSeconds,
      tokens: limits.tokens,
      cost_microusd: limits.costMicrousd,
      steps: limits.steps,
    },
    egress: ['model'],
  };
}
