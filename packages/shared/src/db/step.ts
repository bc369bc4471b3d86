/** Steps of runs. Every write takes the lease of the run: a launcher that lost it changes nothing. */
import type { Lease } from './lease.ts';
import type { Queryable } from './pool.ts';

export type StepState = 'started' | 'finished' | 'failed';

export interface StepRow {
  id: string;
  runId: string;
  fence: number;
  node: string;
  visit: number;
  attempt: number;
  readOnly: boolean;
  /** Who keeps a read-only step from writing besides the mount; `not_read_only` for a step that may write. */
  enforcedBy: string;
  policyHash: string | null;
  state: StepState;
  baseTree: string;
  tree: string | null;
  /** The tree as a commit upon the start commit, under which the pack holds it. */
  commit: string | null;
  packArtifactId: string | null;
  transcriptArtifactId: string | null;
  handOff: unknown;
  /** How it ended: an object with at least `reason` (null when it finished) and `durationMs`. */
  exit: unknown;
  startedAt: Date;
  endedAt: Date | null;
}

const COLUMNS = `id, run_id as "runId", fence::float8 as fence, node, visit, attempt, read_only as "readOnly", enforced_by as "enforcedBy",
  policy_hash as "policyHash", state,
  base_tree as "baseTree", tree, commit_oid as commit, pack_artifact_id as "packArtifactId", transcript_artifact_id as "transcriptArtifactId",
  hand_off as "handOff", exit, started_at as "startedAt", ended_at as "endedAt"`;

/** The steps of a run in the order in which they were started. */
export async function listSteps(db: Queryable, runId: string): Promise<StepRow[]> {
  const { rows } = await db.query<StepRow>(
    `select ${COLUMNS} from step where run_id = $1 order by started_at, id`,
    [runId],
  );
  return rows;
}

export interface NewStep {
  id: string;
  node: string;
  visit: number;
  attempt: number;
  readOnly: boolean;
  enforcedBy: string;
  /** Hash of the effective arguments and mounts, by which a later attempt is known to be held to the same. */
  policyHash: string;
  baseTree: string;
}

/** Makes the row of a step that is about to start. False: the lease is lost. */
export async function insertStep(db: Queryable, lease: Lease, step: NewStep): Promise<boolean> {
  const { rowCount } = await db.query(
    `insert into step (id, run_id, fence, node, visit, attempt, read_only, enforced_by, policy_hash, base_tree)
     select $3, $1, $2, $4, $5, $6, $7, $8, $9, $10 where lease_held($1, $2)`,
    [
      lease.runId,
      lease.fence,
      step.id,
      step.node,
      step.visit,
      step.attempt,
      step.readOnly,
      step.enforcedBy,
      step.policyHash,
      step.baseTree,
    ],
  );
  return rowCount === 1;
}

export interface StepEnd {
  id: string;
  state: 'finished' | 'failed';
  tree: string | null;
  commit: string | null;
  packArtifactId: string | null;
  transcriptArtifactId: string | null;
  handOff: unknown;
  exit: Record<string, unknown>;
}

/** Ends a started step, once. False: it has ended before, or the lease is lost. */
export async function endStep(db: Queryable, lease: Lease, end: StepEnd): Promise<boolean> {
  const { rowCount } = await db.query(
    `update step set state = $4, tree = $5, commit_oid = $6, pack_artifact_id = $7, transcript_artifact_id = $8,
       hand_off = $9, exit = $10, ended_at = clock_timestamp()
     where id = $3 and run_id = $1 and state = 'started' and lease_held($1, $2)`,
    [
      lease.runId,
      lease.fence,
      end.id,
      end.state,
      end.tree,
      end.commit,
      end.packArtifactId,
      end.transcriptArtifactId,
      end.handOff === null ? null : JSON.stringify(end.handOff),
      JSON.stringify(end.exit),
    ],
  );
  return rowCount === 1;
}
