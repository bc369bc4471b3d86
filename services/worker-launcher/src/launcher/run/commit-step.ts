/**
 * Writes the end of a step down: what it printed, what it left, how it ended, in one transaction under the lease. From
 * here on its work no longer depends on this host.
 */
import { writeArtifact } from '@sallyport/shared/artifacts/store';
import { inLeasedTransaction, requireHeld } from '@sallyport/shared/db/lease';
import { endStep } from '@sallyport/shared/db/step';
import { appendEvent } from '@sallyport/shared/db/timeline';
import { noteCanaries, type Sight } from '../canary/watch-canaries.ts';
import type { HandOff } from '@sallyport/teams/hand-off';
import type { OutputTail, SandboxExit } from '../sandbox/driver.ts';
import type { StepIdentity } from './build-task-file.ts';
import { attemptedToWrite, describeComparison } from './compare-tree.ts';
import type { StepFailure } from './judge-exit.ts';
import { storableJson, storableText } from './storable.ts';
import type { StepTaking } from './take-step.ts';
import type { RunWork, StepMount } from './work.ts';

export interface EndedStep {
  id: string;
  identity: StepIdentity;
  baseTree: string;
  mount: StepMount;
  failure: StepFailure | undefined;
  handOff: HandOff | undefined;
  /** One for each start of the agent; none when the sandbox was never asked to start. */
  exits: readonly SandboxExit[];
  repaired: StepFailure | undefined;
  taking: StepTaking | undefined;
}

/** @throws AppError `conflict` when the lease is lost; nothing is written then. */
export async function commitStep(work: RunWork, step: EndedStep): Promise<void> {
  const { taskId, lease } = work;
  const { failure, exits, identity } = step;
  const { readOnly } = identity;
  const taken = step.taking?.kind === 'taken' ? step.taking : undefined;
  const state = failure === undefined ? 'finished' : 'failed';
  const how = describeEnd(step);
  await inLeasedTransaction(work.db, lease, async (tx) => {
    const transcript =
      exits.length === 0
        ? null
        : await writeArtifact(tx, { kind: 'transcript', taskId, bytes: [transcriptOf(exits)] });
    const pack = taken?.pack ?? null;
    const stored =
      pack === null ? null : await writeArtifact(tx, { kind: 'step_pack', taskId, bytes: [pack] });
    const ended = await endStep(tx, lease, {
      id: step.id,
      state,
      tree: taken?.taken.tree ?? null,
      // What a read-only step wrote is evidence; no pack holds it, so nothing can be built upon it.
      commit: readOnly ? null : (taken?.taken.commit ?? null),
      packArtifactId: stored?.id ?? null,
      transcriptArtifactId: transcript?.id ?? null,
      handOff: step.handOff === undefined ? null : storableJson(step.handOff),
      exit: how,
    });
    requireHeld(ended, lease);
    const who = { stepId: step.id, runId: lease.runId, ...identity };
    await appendEvent(tx, taskId, 'step_ended', {
      ...who,
      state,
      outcome: step.handOff?.outcome ?? null,
      ...how,
      transcriptArtifactId: transcript?.id ?? null,
    });
    const compared = describeComparison(step.taking, {
      node: identity.node,
      baseTree: step.baseTree,
      kept: failure === undefined && !readOnly,
      readOnly,
    });
    if (compared !== undefined) {
      await appendEvent(tx, taskId, 'tree_compared', { ...who, ...compared });
    }
    await noteCanaries(tx, { taskId, lease, stepId: step.id }, sightsOf(step));
  });
}

/** What passes on from this step, before anything is scrubbed from it. */
function sightsOf({ handOff, taking, identity }: EndedStep): Sight[] {
  const sights: Sight[] = [];
  if (handOff !== undefined) sights.push({ seenIn: 'hand_off', text: JSON.stringify(handOff) });
  if (taking?.kind === 'taken' && !identity.readOnly) {
    sights.push({ seenIn: 'path', text: taking.taken.changes.map(({ path }) => path).join('\n') });
  }
  return sights;
}

function describeEnd(step: EndedStep): Record<string, unknown> {
  const { failure, exits, repaired } = step;
  const last = exits.at(-1);
  return {
    reason: failure?.reason ?? null,
    message: failure === undefined ? null : shown(failure.message),
    end: last?.end.kind ?? null,
    durationMs: Math.round(exits.reduce((sum, exit) => sum + exit.durationMs, 0)),
    peak: last?.peak ?? null,
    mount: step.mount,
    writeAttempt: attemptedToWrite(step.taking, step.identity.readOnly),
    ...(repaired === undefined
      ? {}
      : { repaired: { reason: repaired.reason, message: shown(repaired.message) } }),
  };
}

function shown(message: string): string {
  return storableText(message).slice(0, 2_000);
}

/** What people can read later of what the agent printed. */
function transcriptOf(exits: readonly SandboxExit[]): Buffer {
  const parts = exits.flatMap(({ stdout, stderr }, i) => [
    ...(i === 0 ? [] : ['--- started once more, for a hand-off that can be used']),
    part('standard output', stdout),
    part('standard error', stderr),
  ]);
  return Buffer.from(storableText(parts.join('\n')));
}

function part(name: string, tail: OutputTail): string {
  const note = tail.truncated
    ? `the last ${Buffer.byteLength(tail.text)} of ${tail.totalBytes} bytes`
    : `${tail.totalBytes} bytes`;
  return `--- ${name} (${note})\n${tail.text}`;
}
