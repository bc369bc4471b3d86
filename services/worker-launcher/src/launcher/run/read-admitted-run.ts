/**
 * Decides whether a run may be worked on: its ticket stands, speaks of this very run and task, and names request and
 * team as they are stored. Asked again before each step: a ticket can run out or be revoked while a run is on its way.
 */
import { createHash } from 'node:crypto';
import { findSnapshot } from '@sallyport/shared/db/snapshot';
import { findRun, findTask, type TaskRow } from '@sallyport/shared/db/task';
import { findTeamVersion } from '@sallyport/shared/db/team-version';
import { AppError } from '@sallyport/shared/errors';
import { decodeSnapshot, type Snapshot } from '@sallyport/shared/task/snapshot';
import type { TicketClaims } from '@sallyport/shared/ticket/claims';
import { requireTicket } from '@sallyport/shared/ticket/standing';
import { parseTeam, type Team } from '@sallyport/teams/team';
import { hashTeam } from '@sallyport/teams/team-hash';
import { stopRun } from './run-stop.ts';
import type { AdmittedRun, RunWork } from './work.ts';

const WORKED_ON: ReadonlySet<string> = new Set(['admitted', 'pending', 'suspended', 'running']);

/** @throws RunStopped `refused` when the ticket permits nothing, `cancelled` when the task has moved on. */
export async function readAdmittedRun(work: RunWork): Promise<AdmittedRun> {
  const { db, lease, taskId } = work;
  const run = await findRun(db, lease.runId);
  const task = await findTask(db, taskId);
  if (run === null || task === null || run.taskId !== task.id) stopRun({ kind: 'cancelled' });
  if (!WORKED_ON.has(task.state) || !WORKED_ON.has(run.state)) stopRun({ kind: 'cancelled' });
  const claims = await readTicket(work);
  if (!speaksOf(claims, task)) stopRun({ kind: 'refused', why: 'other_task' });
  const snapshot = await readSnapshot(work, claims);
  return { run, task, claims, snapshot, team: await readTeam(work, claims) };
}

async function readTicket(work: RunWork): Promise<TicketClaims> {
  try {
    const run = { id: work.lease.runId, taskId: work.taskId };
    return await requireTicket(work.db, run, work.ticketKeys, 'worker-launcher');
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'ticket_invalid') throw error;
    const { why } = error.detail;
    stopRun({ kind: 'refused', why: typeof why === 'string' ? why : 'invalid' }, { cause: error });
  }
}

function speaksOf(claims: TicketClaims, task: TaskRow): boolean {
  return (
    claims.installation_id === task.installationId &&
    claims.repository.id === task.repositoryId &&
    claims.subject.kind === task.subjectKind &&
    claims.subject.number === task.subjectNumber &&
    claims.requester.id === task.requesterId &&
    claims.act === task.act &&
    claims.branch === task.branch
  );
}

async function readSnapshot(work: RunWork, claims: TicketClaims): Promise<Snapshot> {
  const stored = await findSnapshot(work.db, work.taskId);
  // The hash beside the bytes is of no use: whoever could change one could change both.
  const hash = createHash('sha256')
    .update(stored?.content ?? '')
    .digest('hex');
  if (stored === null || hash !== claims.snapshot_sha256) {
    stopRun({ kind: 'refused', why: 'snapshot_changed' });
  }
  return decodeSnapshot(stored.content);
}

async function readTeam({ db }: RunWork, { team }: TicketClaims): Promise<Team> {
  const parsed = parseTeam(await findTeamVersion(db, team.hash));
  if (!parsed.ok || parsed.team.name !== team.name || hashTeam(parsed.team) !== team.hash) {
    stopRun({ kind: 'refused', why: 'team_changed' });
  }
  return parsed.team;
}
