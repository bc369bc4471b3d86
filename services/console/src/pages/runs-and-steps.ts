/** What ran, step by step: where in the team, under which limits of writing, how long, and with which outcome. */
import type { TaskDetails } from '@sallyport/shared/db/views/task-details';
import { html, type SafeHtml } from '../html.ts';

type Step = TaskDetails['steps'][number];

export function runsAndSteps(details: TaskDetails): SafeHtml {
  if (details.runs.length === 0) return html`<p class="empty">Nothing has run.</p>`;
  return html`${details.runs.map(
    (run) =>
      html`<h3>
          Run ${run.number} <span class="state ${run.state}">${run.state}</span> ${run.reason}
        </h3>
        ${steps(details.steps.filter((step) => step.run === run.number))}`,
  )}`;
}

function steps(rows: readonly Step[]): SafeHtml {
  if (rows.length === 0) return html`<p class="empty">No step has started.</p>`;
  return html`<table>
    <thead>
      <tr>
        <th>Node</th>
        <th>Visit</th>
        <th>May write</th>
        <th>Held by</th>
        <th>State</th>
        <th>Time</th>
        <th>Outcome (the agent's claim)</th>
        <th>End</th>
      </tr>
    </thead>
    <tbody>
      ${rows.map(
        (step) =>
          html`<tr>
            <td>${step.node}</td>
            <td>${step.visit}.${step.attempt}</td>
            <td>${step.readOnly ? 'read-only' : 'writes'}</td>
            <td>${step.enforcedBy}</td>
            <td><span class="state ${step.state}">${step.state}</span></td>
            <td>${duration(step)}</td>
            <td>${step.outcome ?? '–'}</td>
            <td>${reasonOf(step.exit)}</td>
          </tr> `,
      )}
    </tbody>
  </table>`;
}

function duration(step: Step): string {
  if (step.endedAt === null) return '…';
  return `${((step.endedAt.getTime() - step.startedAt.getTime()) / 1000).toFixed(1)} s`;
}

function reasonOf(exit: unknown): string {
  if (typeof exit !== 'object' || exit === null || !('reason' in exit)) return '';
  return typeof exit.reason === 'string' ? exit.reason : '';
}
