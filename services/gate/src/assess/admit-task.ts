/**
 * Admits a task: snapshot, assessment, run and ticket come into being together with the move and the message to the
 * launcher, or not at all.
 */
import { crashPoint } from '@sallyport/shared/crash-point';
import { insertAssessment } from '@sallyport/shared/db/assessment';
import { enqueue } from '@sallyport/shared/db/outbox';
import { inTransaction } from '@sallyport/shared/db/pool';
import { keepPolicyVersion } from '@sallyport/shared/db/policy-version';
import { insertRun } from '@sallyport/shared/db/run';
import { insertSnapshot } from '@sallyport/shared/db/snapshot';
import { moveTask, type TaskRow } from '@sallyport/shared/db/task';
import { setTaskBranch } from '@sallyport/shared/db/task-admission';
import { keepTeamVersion } from '@sallyport/shared/db/team-version';
import { insertTicket } from '@sallyport/shared/db/ticket';
import { appendEvent } from '@sallyport/shared/db/timeline';
import { newId } from '@sallyport/shared/ids';
import { encodeSnapshot, type Snapshot } from '@sallyport/shared/task/snapshot';
import { branchName } from '@sallyport/shared/task/branch-name';
import { fixClaims } from '../claims.ts';
import type { ChosenTeam } from '../choices/team-choice.ts';
import type { Gate } from '../gate.ts';
import type { Reason } from './decide.ts';

/** Admits a task under assessment; false when it has moved on meanwhile. */
export async function admitTask(
  gate: Gate,
  task: TaskRow,
  snapshot: Snapshot,
  team: ChosenTeam,
  reasons: readonly Reason[],
): Promise<boolean> {
  const { content, sha256 } = encodeSnapshot(snapshot);
  const branch = branchName(gate.branchPrefix, task.subjectNumber, task.id);
  const jti = newId();
  const runId = newId();
  const claims = fixClaims({
    jti,
    runId,
    taskId: task.id,
    now: gate.clock.now(),
    snapshot,
    snapshotSha256: sha256,
    branch,
    teamHash: team.hash,
    policyHash: gate.policy.hash,
    limits: gate.limits,
  });
  const token = await gate.signer.sign(claims);
  const expiresAt = new Date(claims.exp * 1000);

  const done = await inTransaction(gate.db, async (tx) => {
    if (!(await moveTask(tx, task.id, 'assessing', 'admitted'))) return false;
    await setTaskBranch(tx, task.id, branch);
    await insertSnapshot(tx, { taskId: task.id, content, sha256 });
    await insertAssessment(tx, { taskId: task.id, decision: 'admit', reasons });
    await keepTeamVersion(tx, { hash: team.hash, name: team.team.name, content: team.team });
    await keepPolicyVersion(tx, gate.policy);
    await insertRun(tx, { id: runId, taskId: task.id, number: 1 });
    await insertTicket(tx, { jti, taskId: task.id, runId, kid: gate.signer.kid, token, expiresAt });
    await appendEvent(tx, task.id, 'task_assessed', { decision: 'admit', reasons });
    await appendEvent(tx, task.id, 'ticket_issued', {
      jti,
      runId,
      kid: gate.signer.kid,
      expiresAt: expiresAt.toISOString(),
    });
    await enqueue(tx, 'work', { v: 1, taskId: task.id });
    crashPoint('gate:admitting_not_committed');
    return true;
  });
  crashPoint('gate:admitted_not_forwarded');
  if (done) gate.log.info({ taskId: task.id, runId, branch }, 'task admitted');
  return done;
}
