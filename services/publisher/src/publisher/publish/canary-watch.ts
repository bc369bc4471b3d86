/**
 * Looks for credentials that were planted in the task's sandboxes in everything of a run that could leave, and remembers what
 * it saw during one pass. What carries one out is held: nobody can say what else such an agent did, and nobody may let it go.
 */
import { canariesIn } from '@sallyport/shared/canary/find-canaries';
import { listCanaries, type CanaryRow } from '@sallyport/shared/db/canary';
import type { Queryable, Transaction } from '@sallyport/shared/db/pool';
import { listSteps } from '@sallyport/shared/db/step';
import { appendEvent } from '@sallyport/shared/db/timeline';
import type { Stop } from './stop.ts';

/** Where it was seen: an agent's hand-off, a content or name in the bundle, the pull request's or a comment's text. */
export const PUBLISHER_SIGHTS = ['hand_off', 'content', 'path', 'pull_request', 'comment'] as const;
export type PublisherSight = (typeof PUBLISHER_SIGHTS)[number];

export interface CanaryWatch {
  /** The canaries themselves, for the rules of the policy. Never to be shown. */
  values: readonly string[];
  /** Whether one of them is in the text, in any form; what is seen is remembered. */
  look(seenIn: PublisherSight, text: string): boolean;
  /** Why nothing may leave, once anything was seen, here or by the launcher; else null. */
  stop(): Stop | null;
  /** Writes down what was seen in this pass. */
  record(tx: Transaction, taskId: string, runId: string): Promise<void>;
}

/** The watch over one run, which has looked at its hand-offs already. */
export async function openCanaryWatch(
  db: Queryable,
  run: { id: string; taskId: string },
): Promise<CanaryWatch> {
  const watch = createCanaryWatch(await listCanaries(db, run.taskId));
  for (const { handOff } of await listSteps(db, run.id)) {
    if (handOff !== null) watch.look('hand_off', JSON.stringify(handOff));
  }
  return watch;
}

/** The watch over these canaries. */
export function createCanaryWatch(planted: readonly CanaryRow[]): CanaryWatch {
  const values = planted.map(({ value }) => value);
  const seen = new Map<string, { canary: CanaryRow; seenIn: PublisherSight }>();
  return {
    values,
    look(seenIn, text) {
      const found = new Set(canariesIn(text, values));
      for (const canary of planted) {
        if (found.has(canary.value)) seen.set(`${canary.stepId} ${seenIn}`, { canary, seenIn });
      }
      return found.size > 0;
    },
    stop: () =>
      seen.size > 0 || planted.some(({ seenIn }) => seenIn.length > 0) ? CANARY_STOP : null,
    async record(tx, taskId, runId) {
      for (const { canary, seenIn } of seen.values()) {
        const { stepId, node, visit, attempt } = canary;
        await appendEvent(tx, taskId, 'canary_seen', {
          runId,
          seenIn,
          planted: { stepId, node, visit, attempt },
        });
      }
    },
  };
}

const CANARY_STOP: Stop = {
  decision: 'hold',
  reason: 'canary_seen',
  message: 'A credential that was planted in the sandbox is in what the agents would publish.',
};
