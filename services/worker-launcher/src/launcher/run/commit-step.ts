/**
 * Writes the end of a step down: what it printed, what it left, how it ended, in one transaction under the lease. From
 * here on its work no longer depends on this host.
 */
import { writeArtifact } from '@sallyport/shared/artifacts/store';
import { inLeasedTransaction, requireHeld } from '@sallyport/shared/db/lease';
import { endStep } from '@sallyport/shared/db/step';
import { appendEvent } from '@sallyport/shared/db/timeline';
import type { HandOff } from '@sallyport/teams/hand-off';
import type { OutputTail, SandboxExit } from '../sandbox/driver.ts';
import type { StepIdentity } from './build-task-file.ts';
import type { StepFailure } from './judge-exit.ts';
import { storableJson, storableText } from './storable.ts';
import type { StepTaking } from './take-step.ts';
import type { RunWork } from './work.ts';

const LISTED_PATHS = 200;

export interface EndedStep {
  id: string;
  identity: StepIdentity;
  baseTree: string;
  failure: StepFailure | undefined;
  handOff: HandOff | undefined;
  /** Undefined when the sandbox was never asked to start. */
  exit: SandboxExit | undefined;
  taking: StepTaking | undefined;
}

/** @throws AppError `conflict` when the lease is lost; nothing is written then. */
export async function commitStep(work: RunWork, step: EndedStep): Promise<void> {
  const { taskId, lease } = work;
  const { failure, exit } = step;
  const taken = step.taking?.ok === true ? step.taking.taken : undefined;
  const pack = step.taking?.ok === true ? step.taking.pack : null;
  const message = failure === undefined ? null : storableText(failure.message).slice(0, 2_000);
  const how = {
    reason: failure?.reason ?? null,
    message,
    end: exit?.end.kind ?? null,
    durationMs: exit === undefined ? 0 : Math.round(exit.durationMs),
    peak: exit?.peak ?? null,
  };
  await inLeasedTransaction(work.db, lease, async (tx) => {
    const transcript =
      exit === undefined
        ? null
        : await writeArtifact(tx, { kind: 'transcript', taskId, bytes: [transcriptOf(exit)] });
    const stored =
      pack === null ? null : await writeArtifact(tx, { kind: 'step_pack', taskId, bytes: [pack] });
    const ended = await endStep(tx, lease, {
      id: step.id,
      state: failure === undefined ? 'finished' : 'failed',
      tree: taken?.tree ?? null,
      commit: taken?.commit ?? null,
      packArtifactId: stored?.id ?? null,
      transcriptArtifactId: transcript?.id ?? null,
      handOff: step.handOff === undefined ? null : storableJson(step.handOff),
      exit: how,
    });
    requireHeld(ended, lease);
    const who = { stepId: step.id, runId: lease.runId, ...step.identity };
    await appendEvent(tx, taskId, 'step_ended', {
      ...who,
      state: failure === undefined ? 'finished' : 'failed',
      outcome: step.handOff?.outcome ?? null,
      ...how,
      transcriptArtifactId: transcript?.id ?? null,
    });
    if (taken === undefined) return;
    const kept = failure === undefined && !step.identity.readOnly;
    await appendEvent(tx, taskId, 'tree_compared', {
      ...who,
      baseTree: step.baseTree,
      tree: taken.tree,
      result: kept ? 'kept' : 'discarded',
      changeCount: taken.changeCount,
      linesAdded: taken.linesAdded,
      linesRemoved: taken.linesRemoved,
      paths: storableJson(
        taken.changes
          .slice(0, LISTED_PATHS)
          .map(({ path, status, added, removed }) => ({ path, status, added, removed })),
      ),
      skippedCount: taken.skippedCount,
      skipped: storableJson(taken.skipped.slice(0, LISTED_PATHS)),
      ignoredCount: taken.ignoredCount,
    });
  });
}

/** What people can read later of what the agent printed. */
function transcriptOf({ stdout, stderr }: SandboxExit): Buffer {
  const parts = [part('standard output', stdout), part('standard error', stderr)];
  return Buffer.from(storableText(parts.join('\n')));
}

function part(name: string, tail: OutputTail): string {
  const note = tail.truncated
    ? `the last ${Buffer.byteLength(tail.text)} of ${tail.totalBytes} bytes`
    : `${tail.totalBytes} bytes`;
  return `--- ${name} (${note})\n${tail.text}`;
}
