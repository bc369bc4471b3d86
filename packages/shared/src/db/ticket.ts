/** Tickets as issued, and whether one still stands. */
import type { Queryable } from './pool.ts';

export interface TicketRow {
  jti: string;
  taskId: string;
  runId: string;
  token: string;
  expiresAt: Date;
  revokedAt: Date | null;
}

const COLUMNS = `jti, task_id as "taskId", run_id as "runId", token, expires_at as "expiresAt", revoked_at as "revokedAt"`;

export async function insertTicket(
  db: Queryable,
  ticket: {
    jti: string;
    taskId: string;
    runId: string;
    kid: string;
    token: string;
    expiresAt: Date;
  },
): Promise<void> {
  await db.query(
    'insert into ticket (jti, task_id, run_id, kid, token, expires_at) values ($1, $2, $3, $4, $5, $6)',
    [ticket.jti, ticket.taskId, ticket.runId, ticket.kid, ticket.token, ticket.expiresAt],
  );
}

/** The newest ticket of a run, revoked or not. */
export async function findTicketOfRun(db: Queryable, runId: string): Promise<TicketRow | null> {
  const { rows } = await db.query<TicketRow>(
    `select ${COLUMNS} from ticket where run_id = $1 order by issued_at desc, jti desc limit 1`,
    [runId],
  );
  return rows[0] ?? null;
}

export async function findTicket(db: Queryable, jti: string): Promise<TicketRow | null> {
  const { rows } = await db.query<TicketRow>(`select ${COLUMNS} from ticket where jti = $1`, [jti]);
  return rows[0] ?? null;
}

/** Revokes the live tickets of a task; how many there were. */
export async function revokeTickets(
  db: Queryable,
  taskId: string,
  reason: string,
): Promise<number> {
  const { rowCount } = await db.query(
    'update ticket set revoked_at = now(), revoked_reason = $2 where task_id = $1 and revoked_at is null',
    [taskId, reason],
  );
  return rowCount ?? 0;
}
