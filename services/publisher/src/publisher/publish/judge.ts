/**
 * The policy's verdict on what the importer found, after everything that must agree does agree: the bundle with the run, the
 * facts with the ticket, our policy with the one that the ticket was issued under.
 */
import type { ChangeFact } from '@sallyport/git/import-facts';
import { changeSetFromFacts } from '@sallyport/policy/change-from-facts';
import type { Verdict } from '@sallyport/policy/decide';
import { judgeChange } from '@sallyport/policy/judge';
import { hashPolicy } from '@sallyport/policy/policy-config';
import { readArtifact } from '@sallyport/shared/artifacts/store';
import { ARTIFACT_KINDS } from '@sallyport/shared/artifacts/kinds';
import type { BundleImportRow } from '@sallyport/shared/db/bundle-import';
import { errorCodeOf } from '@sallyport/shared/errors';
import { decodeImportRecord, type ImportRecord } from '../../import-record.ts';
import type { Case } from './case.ts';
import { reject, type Stop } from './stop.ts';

export interface Judged {
  /** The tree that was judged and may be published. */
  tree: string;
  changedPaths: string[];
  /** The changes that were judged; the pack must hold these and no others. */
  changes: readonly ChangeFact[];
  packArtifactId: string;
  verdict: Verdict;
}

/** The judgement, or why there can be none. @throws AppError when what the importer stored cannot be read. */
export async function judgeImport(one: Case, imported: BundleImportRow): Promise<Judged | Stop> {
  const { context, claims, run } = one;
  if (imported.bundleArtifactId !== run.bundleArtifactId) {
    return reject('import_differs', 'What was imported is not the bundle that the run ended with.');
  }
  if (!imported.ok) {
    return reject(
      imported.reason ?? 'import_refused',
      imported.message ?? 'The bundle could not be imported.',
    );
  }
  const { factsArtifactId, packArtifactId } = imported;
  if (factsArtifactId === null || packArtifactId === null) {
    return reject('import_incomplete', 'The import of the bundle left no facts.');
  }
  if (hashPolicy(context.policy) !== claims.policy_hash) {
    return reject(
      'policy_changed',
      'The policy was changed after the task was admitted; start the task again.',
    );
  }
  const bytes = await readArtifact(
    context.db,
    factsArtifactId,
    ARTIFACT_KINDS.import_facts.maxBytes,
  );
  const record = tryDecode(bytes);
  if (record === null)
    return reject('import_unreadable', 'The facts of the import cannot be read.');
  const { facts } = record;
  lookAtWork(one, record);
  if (facts.base !== claims.start.sha || facts.ref !== `refs/heads/${claims.branch}`) {
    return reject(
      'import_differs',
      'What was imported does not start or end where the ticket says.',
    );
  }
  const verdict = await tryJudge(one, record);
  if (verdict === null)
    return reject('import_unreadable', 'The policy cannot read the facts of the import.');
  return {
    tree: facts.headTree,
    changedPaths: facts.changes.map((change) => change.path),
    changes: facts.changes,
    packArtifactId,
    verdict,
  };
}

/** Every byte that was handed over, also of what the rules take for no text. */
function lookAtWork({ canaries }: Case, { facts, contents }: ImportRecord): void {
  for (const bytes of contents.values())
    canaries.look('content', Buffer.from(bytes).toString('latin1'));
  const changes = [facts, ...facts.commits].flatMap((one) => one.changes);
  canaries.look('path', changes.map(({ path }) => path).join('\n'));
}

function tryDecode(bytes: Buffer): ImportRecord | null {
  try {
    return decodeImportRecord(bytes);
  } catch (error) {
    if (errorCodeOf(error) !== 'bad_input') throw error;
    return null;
  }
}

/** Null when the rules break on it: they are pure, so they would break again, and the task would wait for ever. */
async function tryJudge(
  { context, claims, canaries }: Case,
  { facts, contents, basePaths }: ImportRecord,
): Promise<Verdict | null> {
  try {
    const change = changeSetFromFacts(facts, contents, basePaths);
    return await judgeChange(change, {
      config: context.policy,
      canaries: canaries.values,
    });
  } catch (error) {
    context.log.error({ err: error, taskId: claims.task_id }, 'the policy breaks on an import');
    return null;
  }
}

/** Why the policy lets nothing out, or null when it publishes. */
export function stopOf(verdict: Verdict): Stop | null {
  if (verdict.verdict === 'publish') return null;
  const severity = verdict.verdict === 'reject' ? 'block' : 'hold';
  const decisive = verdict.findings.filter((finding) => finding.severity === severity);
  return {
    decision: verdict.verdict,
    reason: decisive[0]?.code ?? 'policy',
    message: decisive.map((finding) => `- ${finding.reason}`).join('\n'),
  };
}
