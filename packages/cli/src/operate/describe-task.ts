/** One task as text for a terminal. */
import type { TaskDetails } from '@sallyport/shared/db/views/task-details';
import type { TaskView } from '@sallyport/shared/db/views/task-view';
import { printable } from './table.ts';

export function describeTask(task: TaskView, details: TaskDetails): string {
  const lines = [
    `task        ${task.id}`,
    `state       ${task.state}${task.reason === null ? '' : ` (${printable(task.reason)})`}`,
    `request     ${task.verb} on ${task.repository}#${task.number} by ${printable(task.requester)}, ${task.createdAt.toISOString()}`,
  ];
  if (task.branch !== null) lines.push(`branch      ${task.branch}`);
  if (task.pullUrl !== null) lines.push(`pull        #${task.pullNumber} ${task.pullUrl}`);
  for (const assessment of details.assessments) {
    lines.push(`assessment  ${assessment.decision}`, ...describeReasons(assessment.reasons));
  }
  for (const run of details.runs) {
    lines.push(
      `run ${run.number}       ${run.state}${run.reason === null ? '' : ` (${printable(run.reason)})`}`,
    );
  }
  for (const step of details.steps) {
    const seconds =
      step.endedAt === null
        ? '…'
        : `${((step.endedAt.getTime() - step.startedAt.getTime()) / 1000).toFixed(1)} s`;
    lines.push(
      `  step      ${step.node} visit ${step.visit} attempt ${step.attempt}: ${step.state}, ${seconds}${step.readOnly ? ', read-only' : ''}`,
    );
  }
  if (details.verdict !== null) {
    lines.push(
      `verdict     ${details.verdict.decision}`,
      ...describeReasons(details.verdict.reasons),
    );
  }
  return lines.join('\n');
}

/** The leaves of a tree of reasons, whatever its depth: every object with a message or a reason. */
function describeReasons(reasons: unknown): string[] {
  if (Array.isArray(reasons)) return reasons.flatMap(describeReasons);
  if (typeof reasons !== 'object' || reasons === null) return [];
  const {
    rule,
    result,
    severity,
    message,
    reason,
    children,
    reasons: inner,
  } = reasons as Record<string, unknown>;
  const text =
    typeof message === 'string' ? message : typeof reason === 'string' ? reason : undefined;
  const tag = [rule, result ?? severity].filter((part) => typeof part === 'string').join(' ');
  const own =
    text === undefined ? [] : [`  - ${printable(`${tag}${tag === '' ? '' : ': '}${text}`)}`];
  return [...own, ...describeReasons(children), ...describeReasons(inner)];
}
