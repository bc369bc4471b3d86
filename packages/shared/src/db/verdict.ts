/** Verdicts of the publisher, one for each run: the decision and the tree of reasons that is its evidence. */
import type { Queryable } from './pool.ts';

export type VerdictDecision = 'publish' | 'hold' | 'reject';

export interface VerdictRow {
  id: string;
  runId: string;
  decision: VerdictDecision;
  reasons: unknown;
  policyHash: string;
  treeOid: string | null;
  givenAt: Date;
}

const COLUMNS = `id, run_id as "runId", decision, reasons, policy_hash as "policyHash", tree_oid as "treeOid",
  given_at as "givenAt"`;

/** Stores the verdict on a run, once. False: there is one already, and it stands. */
export async function insertVerdict(
  db: Queryable,
  verdict: Omit<VerdictRow, 'givenAt'>,
): Promise<boolean> {
  const { rowCount } = await db.query(
    `insert into verdict (id, run_id, decision, reasons, policy_hash, tree_oid)
     values ($1, $2, $3, $4, $5, $6) on conflict (run_id) do nothing`,
    [
      verdict.id,
      verdict.runId,
      verdict.decision,
      JSON.stringify(verdict.reasons),
      verdict.policyHash,
      verdict.treeOid,
    ],
  );
  return rowCount === 1;
}

export async function findVerdict(db: Queryable, runId: string): Promise<VerdictRow | null> {
  const { rows } = await db.query<VerdictRow>(`select ${COLUMNS} from verdict where run_id = $1`, [
    runId,
  ]);
  return rows[0] ?? null;
}
