/** Where a planted credential changes what is done: before the words of a publication are sent, and before a reason is told. */
import { pullBody, pullTitle } from '../pull-text.ts';
import type { Case } from './case.ts';
import { describePull } from './describe.ts';
import type { BaseInspection } from './inspect-base.ts';
import type { Judged } from './judge.ts';
import type { Stop } from './stop.ts';

/** A refusal outweighs a canary, a canary whatever a person may decide. */
export function mostOf(byPolicy: Stop | null, byCanary: Stop | null): Stop | null {
  return byPolicy?.decision === 'reject' ? byPolicy : (byCanary ?? byPolicy);
}

/** Looks at the very words that would stand on GitHub: cleaning them can join what was apart before. */
export async function lookAtTexts(
  one: Case,
  judged: Judged,
  base: BaseInspection,
): Promise<Stop | null> {
  const facts = await describePull(one, judged, base);
  one.canaries.look('pull_request', `${pullTitle(facts)}\n\n${pullBody(facts)}`);
  return one.canaries.stop();
}

/** The stop as it may be told: a reason can quote what the bundle holds, such as a path. */
export function showable({ canaries }: Case, stop: Stop): Stop {
  if (!canaries.look('comment', stop.message)) return stop;
  return { ...stop, message: 'The result was refused; the reason cannot be shown here.' };
}
