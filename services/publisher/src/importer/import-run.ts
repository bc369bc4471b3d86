/**
 * Imports the bundle of one run: a child of its own reads the bytes, this process only moves them and stores what was found.
 * What the bundle must be (branch, start commit) comes from the ticket, verified here; what it builds on comes from a source
 * pack, which only the publisher can write, and which must hold the ticket's start commit.
 */
import type { ChildRuntime } from '@sallyport/git/child-runtime';
import { importInChild, type ChildImportResult } from '@sallyport/git/run-import-child';
import { DEFAULT_IMPORT_LIMITS, type ImportLimits } from '@sallyport/git/import-limits';
import { INCONCLUSIVE_REASONS } from '@sallyport/git/import-reasons';
import type { Isolation } from '@sallyport/git/isolation';
import {
  findArtifact,
  findNewestArtifact,
  readArtifact,
  streamArtifact,
  writeArtifact,
} from '@sallyport/shared/artifacts/store';
import { crashPoint } from '@sallyport/shared/crash-point';
import {
  findBundleImport,
  findRunToImport,
  insertBundleImport,
} from '@sallyport/shared/db/bundle-import';
import { inTransaction, type Pool } from '@sallyport/shared/db/pool';
import { AppError } from '@sallyport/shared/errors';
import type { Logger } from '@sallyport/shared/log';
import type { TicketClaims } from '@sallyport/shared/ticket/claims';
import { requireTicket } from '@sallyport/shared/ticket/standing';
import type { TicketKeys } from '@sallyport/shared/ticket/verify';
import { encodeImportRecord } from '../import-record.ts';

export interface ImporterContext {
  db: Pool;
  log: Logger;
  ticketKeys: TicketKeys;
  isolation: Isolation;
  /** A directory of this process alone. */
  workRoot: string;
  /** Prepared once per process, so that a child starts fast; without it each loads its source. */
  runtime?: ChildRuntime;
  limits?: ImportLimits;
}

/**
 * Imports once; a run that has a result is left alone.
 * @throws AppError when the question could not be put: `ticket_invalid`, `not_found` for a source that is not stored.
 */
export async function importRun(context: ImporterContext, runId: string): Promise<void> {
  const { db, log } = context;
  const run = await findRunToImport(db, runId);
  if (run === null || run.bundleArtifactId === null) return;
  if ((await findBundleImport(db, runId)) !== null) return;
  const claims = await requireTicket(db, run, context.ticketKeys, 'publisher');
  const result = await importBundleOf(context, run.taskId, run.bundleArtifactId, claims);
  crashPoint('importer:imported_not_stored');
  await storeResult(db, run.taskId, runId, run.bundleArtifactId, result);
  crashPoint('importer:import_stored');
  log.info({ runId, ok: result.ok, reason: result.ok ? null : result.reason }, 'bundle imported');
}

async function importBundleOf(
  context: ImporterContext,
  taskId: string,
  bundleArtifactId: string,
  claims: TicketClaims,
): Promise<ChildImportResult> {
  const { db } = context;
  const limits = context.limits ?? DEFAULT_IMPORT_LIMITS;
  const artifact = await findArtifact(db, bundleArtifactId);
  if (artifact.kind !== 'bundle')
    throw new AppError('forbidden', 'what the run names as its bundle is none');
  if (artifact.size > limits.bundleBytes) {
    const message = `${artifact.size} bytes; at most ${limits.bundleBytes} are allowed`;
    return { ok: false, reason: 'bundle_too_large', message };
  }
  const source = await findNewestArtifact(db, 'source_pack', taskId);
  if (source === null) throw new AppError('not_found', 'the source of the run is not stored');
  const bundle = await readArtifact(db, bundleArtifactId, limits.bundleBytes);
  const attempt = (): Promise<ChildImportResult> =>
    importInChild({
      bundle,
      basePack: {
        sha256: source.sha256,
        bytes: source.size,
        // Nothing is read beyond the start commit, so the history ends there, wherever the pack's own boundary lies.
        shallow: [claims.start.sha],
        read: () => streamArtifact(db, source.id),
      },
      expected: { ref: `refs/heads/${claims.branch}`, base: claims.start.sha },
      limits,
      isolation: context.isolation,
      workRoot: context.workRoot,
      ...(context.runtime === undefined ? {} : { runtime: context.runtime }),
    });
  const first = await attempt();
  // A busy machine looks the same as a bomb; twice in a row is taken for an answer.
  return !first.ok && INCONCLUSIVE_REASONS.has(first.reason) ? attempt() : first;
}

async function storeResult(
  db: Pool,
  taskId: string,
  runId: string,
  bundleArtifactId: string,
  result: ChildImportResult,
): Promise<void> {
  await inTransaction(db, async (tx) => {
    if (!result.ok) {
      const { reason, message } = result;
      await insertBundleImport(tx, {
        runId,
        bundleArtifactId,
        ok: false,
        reason,
        message,
        factsArtifactId: null,
        packArtifactId: null,
      });
      return;
    }
    const facts = await writeArtifact(tx, {
      kind: 'import_facts',
      taskId,
      bytes: [encodeImportRecord(result)],
    });
    const pack = await writeArtifact(tx, { kind: 'clean_pack', taskId, bytes: [result.cleanPack] });
    await insertBundleImport(tx, {
      runId,
      bundleArtifactId,
      ok: true,
      reason: null,
      message: null,
      factsArtifactId: facts.id,
      packArtifactId: pack.id,
    });
  });
}
