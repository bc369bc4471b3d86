/** Gathers what the pull request says about itself: from the ticket, the verdict and the recorded steps. */
import { listSteps, type StepRow } from '@sallyport/shared/db/step';
import type { PullFacts, StepLine } from '../pull-text.ts';
import type { Case } from './case.ts';
import type { BaseInspection } from './inspect-base.ts';
import type { Judged } from './judge.ts';

export async function describePull(
  one: Case,
  judged: Judged,
  base: BaseInspection,
): Promise<PullFacts> {
  const { claims, snapshot } = one;
  const steps = await listSteps(one.context.db, one.run.id);
  return {
    taskId: claims.task_id,
    requester: claims.requester.login,
    issueNumber: claims.subject.number,
    issueTitle: snapshot.subject.title,
    closesIssue: claims.subject.kind === 'issue' && one.task.verb === 'fix',
    team: claims.team.name,
    base: claims.base,
    notes: judged.verdict.findings.map((finding) => finding.reason),
    protectionNotes: base.notes,
    steps: steps.map(stepLine),
    summary: summaryOf(steps),
  };
}

function stepLine(step: StepRow): StepLine {
  return {
    node: step.node,
    visit: step.visit,
    attempt: step.attempt,
    readOnly: step.readOnly,
    durationMs: step.endedAt === null ? null : step.endedAt.getTime() - step.startedAt.getTime(),
    outcome: textField(step.handOff, 'outcome') || step.state,
    wrote:
      (step.tree !== null && step.tree !== step.baseTree) ||
      field(step.exit, 'writeAttempt') === true,
  };
}

/** The summary of the last step that gave one. */
function summaryOf(steps: readonly StepRow[]): string {
  return (
    steps.map((step) => textField(step.handOff, 'summary')).findLast((text) => text !== '') ?? ''
  );
}

function textField(value: unknown, name: string): string {
  const text = field(value, name);
  return typeof text === 'string' ? text : '';
}

function field(value: unknown, name: string): unknown {
  return (value as Record<string, unknown> | null)?.[name];
}
