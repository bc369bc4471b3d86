/**
 * Leases on runs: which launcher may work on one, and since when. The fencing number of a lease grows with each holder;
 * every statement that writes for a run takes it, so that a launcher that was away cannot write over its successor.
 */
import { AppError } from '../errors.ts';
import { inTransaction, type Pool, type Queryable, type Transaction } from './pool.ts';

/** The right to work on one run, as long as it is renewed. */
export interface Lease {
  runId: string;
  fence: number;
}

/** Claims the lease of a run for so many seconds; null while somebody else's lives. */
export async function claimLease(
  db: Queryable,
  runId: string,
  holder: string,
  seconds: number,
): Promise<Lease | null> {
  const { rows } = await db.query<{ fence: string | null }>(
    'select lease_claim($1, $2, $3)::text as fence',
    [runId, holder, seconds],
  );
  const fence = rows[0]?.fence ?? null;
  return fence === null ? null : { runId, fence: Number(fence) };
}

/** Puts the end of a lease off. False: it is lost for good. */
export async function renewLease(db: Queryable, lease: Lease, seconds: number): Promise<boolean> {
  const { rows } = await db.query<{ held: boolean }>('select lease_renew($1, $2, $3) as held', [
    lease.runId,
    lease.fence,
    seconds,
  ]);
  return rows[0]?.held ?? false;
}

/** Ends a lease now, so that the next holder need not wait. False: it was another's already. */
export async function releaseLease(db: Queryable, lease: Lease): Promise<boolean> {
  const { rows } = await db.query<{ released: boolean }>(
    'select lease_release($1, $2) as released',
    [lease.runId, lease.fence],
  );
  return rows[0]?.released ?? false;
}

/** Whether the lease is held now; inside a transaction nobody can take it before the transaction ends. */
export async function holdsLease(db: Queryable, lease: Lease): Promise<boolean> {
  const { rows } = await db.query<{ held: boolean }>('select lease_held($1, $2) as held', [
    lease.runId,
    lease.fence,
  ]);
  return rows[0]?.held ?? false;
}

/**
 * Runs the work in one transaction that commits only if the lease is still held at its end.
 * @throws AppError `conflict` when it is not, and whatever the work throws; nothing is written then.
 */
export async function inLeasedTransaction<T>(
  pool: Pool,
  lease: Lease,
  work: (tx: Transaction) => Promise<T>,
): Promise<T> {
  return inTransaction(pool, async (tx) => {
    const result = await work(tx);
    // Last, not first: the check locks the lease until the commit, and its renewal must not wait for a large artifact.
    requireHeld(await holdsLease(tx, lease), lease);
    return result;
  });
}

/** @throws AppError `conflict` when a statement that needs the lease found it lost. */
export function requireHeld(held: boolean, lease: Lease): void {
  if (held) return;
  throw new AppError('conflict', 'the lease of the run is lost', {
    detail: { runId: lease.runId, fence: lease.fence },
  });
}

/**
 * Picks the run that waits longest for a launcher (admitted, suspended, or left by one that died), outside every halted
 * repository, and locks its row so that two launchers look at different ones. `taskId` asks for the run of that task only.
 */
export async function pickWaitingRun(
  tx: Transaction,
  taskId: string | null,
): Promise<{ runId: string; taskId: string; repositoryId: number } | null> {
  const { rows } = await tx.query<{ runId: string; taskId: string; repositoryId: number }>(
    `select r.id as "runId", t.id as "taskId", t.repository_id::float8 as "repositoryId"
     from run r
       join task t on t.id = r.task_id
       left join lease l on l.run_id = r.id
     where t.state in ('admitted', 'running')
       and r.state in ('pending', 'suspended', 'running')
       and r.number = (select max(number) from run where task_id = t.id)
       and (l.run_id is null or l.expires_at <= clock_timestamp())
       and ($1::uuid is null or t.id = $1)
       and not exists (
         select 1 from halt h
         where h.lifted_at is null and h.scope in ('all', 'repo:' || t.repository_id)
       )
     order by r.moved_at
     limit 1
     for update of r skip locked`,
    [taskId],
  );
  return rows[0] ?? null;
}

/** Of these leases, those that are held now. */
export async function listHeld(db: Queryable, leases: readonly Lease[]): Promise<Lease[]> {
  const { rows } = await db.query<{ runId: string; fence: string }>(
    `select run_id as "runId", fence::text from lease
     where run_id = any($1::uuid[]) and expires_at > clock_timestamp()`,
    [leases.map((lease) => lease.runId)],
  );
  return leases.filter((lease) =>
    rows.some((row) => row.runId === lease.runId && Number(row.fence) === lease.fence),
  );
}
