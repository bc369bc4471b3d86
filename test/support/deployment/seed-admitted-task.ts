/** A task as the gate leaves it when it admits one: snapshot, team, policy, run and a ticket signed with a key of the test. */
import { generateKeyPairSync } from 'node:crypto';
import { newId } from '@sallyport/shared/ids';
import { encodeSnapshot, hashText, type Snapshot } from '@sallyport/shared/task/snapshot';
import { TICKET_ISSUER, type TicketClaims } from '@sallyport/shared/ticket/claims';
import { createTicketSigner, type TicketSigner } from '@sallyport/shared/ticket/sign';
import { TeamSchema, type Team } from '@sallyport/teams/team';
import { hashTeam } from '@sallyport/teams/team-hash';
import type { z } from 'zod';
import { seedTask } from './seed-task.ts';
import type { TestDeployment } from './test-deployment.ts';

export interface TestTicketKeys {
  signer: TicketSigner;
  publicPem: string;
}

export function createTestTicketKeys(): TestTicketKeys {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  return {
    signer: createTicketSigner(pem),
    publicPem: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
  };
}

export interface AdmittedTaskOptions {
  signer: TicketSigner;
  startSha: string;
  team: z.input<typeof TeamSchema>;
  issue?: { title: string; body: string };
  commandText?: string;
  repositoryId?: number;
  /** Changes the claims before they are signed. */
  claims?: (claims: TicketClaims) => TicketClaims;
  /** False: no ticket row at all. */
  ticket?: boolean;
}

export interface AdmittedTask {
  taskId: string;
  runId: string;
  jti: string;
  repositoryId: number;
  branch: string;
  snapshot: Snapshot;
  claims: TicketClaims;
  team: Team;
}

let issued = 0;

/** Inserts everything that a launcher reads of an admitted task. */
export async function seedAdmittedTask(
  deployment: TestDeployment,
  options: AdmittedTaskOptions,
): Promise<AdmittedTask> {
  const { admin } = deployment;
  issued += 1;
  const number = issued;
  const branch = `agent/issue-${number}-${newId().slice(-8)}`;
  const team = TeamSchema.parse(options.team);
  const repositoryId = options.repositoryId ?? 22;
  const seeded = await seedTask(deployment, {
    branch,
    issue: number,
    state: 'assessing',
    team: team.name,
    repositoryId,
  });
  const text = options.commandText ?? '/agent fix this';
  const snapshot: Snapshot = {
    v: 1,
    delivery: { id: seeded.deliveryId, guid: newId(), event: 'issue_comment' },
    repository: { id: repositoryId, owner: 'octo', name: 'repo' },
    installationId: seeded.installationId,
    subject: {
      kind: 'issue',
      number,
      title: options.issue?.title ?? 'It is broken',
      body: options.issue?.body ?? 'Please mend it.',
      authorId: 5,
      updatedAt: '2026-01-01T00:00:00Z',
    },
    trigger: {
      kind: 'issue_comment',
      id: 44,
      authorId: 33,
      authorLogin: 'dev',
      text,
      textSha256: hashText(text),
      createdAt: '2026-01-01T00:00:00Z',
      updatedAt: '2026-01-01T00:00:00Z',
    },
    requester: { id: 33, login: 'dev', role: 'write' },
    command: { verb: 'fix', text, team: team.name },
    base: { ref: 'main', sha: options.startSha },
  };
  const { content, sha256 } = encodeSnapshot(snapshot);
  await admin.query('insert into snapshot (task_id, content, sha256) values ($1, $2, $3)', [
    seeded.taskId,
    content,
    sha256,
  ]);
  const hash = hashTeam(team);
  await admin.query(
    'insert into team_version (hash, name, content) values ($1, $2, $3) on conflict do nothing',
    [hash, team.name, team],
  );
  const runId = newId();
  await admin.query('insert into run (id, task_id, number) values ($1, $2, 1)', [
    runId,
    seeded.taskId,
  ]);
  const now = Math.floor(Date.now() / 1000);
  const claims: TicketClaims = {
    iss: TICKET_ISSUER,
    aud: ['worker-launcher', 'publisher'],
    jti: newId(),
    iat: now,
    exp: now + 3600,
    task_id: seeded.taskId,
    run_id: runId,
    act: 'pull_request',
    installation_id: seeded.installationId,
    repository: { id: repositoryId, owner: 'octo', name: 'repo' },
    subject: { kind: 'issue', number },
    requester: { id: 33, login: 'dev', role: 'write' },
    snapshot_sha256: sha256,
    comment_id: 44,
    base: { ref: 'main', sha: options.startSha },
    start: { repository_id: repositoryId, ref: 'main', sha: options.startSha },
    branch,
    read_only: false,
    team: { name: team.name, hash },
    policy_hash: '0'.repeat(64),
    limits: { wall_seconds: 600, tokens: 0, cost_microusd: 0, steps: 10 },
    egress: [],
  };
  const signed = options.claims?.(claims) ?? claims;
  if (options.ticket !== false) {
    await admin.query(
      `insert into ticket (jti, task_id, run_id, kid, token, expires_at) values ($1, $2, $3, $4, $5, to_timestamp($6))`,
      [
        claims.jti,
        seeded.taskId,
        runId,
        options.signer.kid,
        await options.signer.sign(signed),
        signed.exp,
      ],
    );
  }
  // Last: a launcher that sweeps in between must not find half of it.
  await admin.query(`update task set state = 'admitted', moved_at = now() where id = $1`, [
    seeded.taskId,
  ]);
  return {
    taskId: seeded.taskId,
    runId,
    jti: claims.jti,
    repositoryId,
    branch,
    snapshot,
    claims: signed,
    team,
  };
}
