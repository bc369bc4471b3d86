/** What the timeline says of a run's environment, in words and in facts. */
import { writeArtifact } from '@sallyport/shared/artifacts/store';
import { inLeasedTransaction } from '@sallyport/shared/db/lease';
import { appendEvent } from '@sallyport/shared/db/timeline';
import { namePaths } from '../run/name-paths.ts';
import { storableJson, storableText } from '../run/storable.ts';
import type { RunWork } from '../run/work.ts';
import type { SandboxExit } from '../sandbox/driver.ts';
import type { ChosenEnvironment, EnvironmentProblem } from './choose-environment.ts';
import type { StoredEnvironment } from './environment-store.ts';
import type { MadeEnvironment } from './make-environment.ts';

const TAIL_CHARACTERS = 2_000;
const LISTED_PATHS = 50;

export interface ReadyEnvironment {
  stored: StoredEnvironment;
  /** Null for one that was made before. */
  made: MadeEnvironment | null;
  chosen: ChosenEnvironment;
  durationMs: number;
}

/** Says that the run has its environment, and what became of what else its commands did. */
export async function tellReady(work: RunWork, ready: ReadyEnvironment): Promise<void> {
  const { stored, made, chosen, durationMs } = ready;
  const { key, paths, entries, bytes, commit, madeAt } = stored.record;
  await inLeasedTransaction(work.db, work.lease, async (tx) => {
    const transcript = made === null ? null : await keepTranscript(tx, work, made.exit);
    await appendEvent(tx, work.taskId, 'environment_ready', {
      says: storableText(sayReady(ready)),
      runId: work.lease.runId,
      key,
      cached: made === null,
      durationMs: Math.round(durationMs),
      produces: storableJson(paths.slice(0, LISTED_PATHS)),
      missing: storableJson(made?.taken.missing ?? []),
      entries,
      bytes,
      from: chosen.from,
      commit,
      madeAt,
      registries: chosen.registries.map(({ name }) => name),
      changedCount: made?.changedCount ?? 0,
      changed: storableJson(made?.changed.slice(0, LISTED_PATHS) ?? []),
      transcriptArtifactId: transcript,
    });
  });
}

/** Says why the run has none, with the last words of its commands if they ran. */
export async function tellFailure(
  work: RunWork,
  problem: EnvironmentProblem,
  attempt: { key: string; exit: SandboxExit } | null,
): Promise<void> {
  await inLeasedTransaction(work.db, work.lease, async (tx) => {
    const transcript = attempt === null ? null : await keepTranscript(tx, work, attempt.exit);
    const message = storableText(problem.message).slice(0, TAIL_CHARACTERS);
    await appendEvent(tx, work.taskId, 'environment_failed', {
      says: `the environment could not be made ready (${problem.reason}): ${message}`,
      runId: work.lease.runId,
      key: attempt?.key ?? null,
      reason: problem.reason,
      message,
      durationMs: attempt === null ? null : Math.round(attempt.exit.durationMs),
      tail: attempt === null ? null : storableText(tailOf(attempt.exit)).slice(-TAIL_CHARACTERS),
      transcriptArtifactId: transcript,
    });
  });
}

function sayReady({ stored, made, chosen }: ReadyEnvironment): string {
  const whose = chosen.from === 'operator' ? "the operator's" : "the repository's";
  const named = namePaths(stored.record.paths);
  if (made === null) {
    return `${whose} environment is there from an earlier run (${named}); no command was run`;
  }
  const { changed, changedCount } = made;
  const fate =
    changedCount === 0
      ? ''
      : `; what its commands changed of the tree is not carried on (${namePaths(changed, changedCount)})`;
  return `${whose} environment was made: ${named}${fate}`;
}

function tailOf({ stdout, stderr }: SandboxExit): string {
  return [stdout.text, stderr.text].filter((text) => text.trim() !== '').join('\n');
}

async function keepTranscript(
  tx: Parameters<typeof writeArtifact>[0],
  { taskId }: RunWork,
  exit: SandboxExit,
): Promise<string> {
  const bytes = [Buffer.from(storableText(tailOf(exit)))];
  return (await writeArtifact(tx, { kind: 'transcript', taskId, bytes })).id;
}
