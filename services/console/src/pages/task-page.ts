/** One task in full: what was asked, why it was let in, what ran, what was judged, what left, and the proof of it. */
import type { ChainProblem, TimelineEvent } from '@sallyport/shared/db/timeline';
import type { TaskDetails } from '@sallyport/shared/db/views/task-details';
import type { TaskView } from '@sallyport/shared/db/views/task-view';
import { html, type HtmlValue, type SafeHtml } from '../html.ts';
import { describeEventData } from '../timeline/describe-event-data.ts';
import { moment } from './layout.ts';
import { pullLink } from './links.ts';
import { reasonTree } from './reason-tree.ts';
import { runsAndSteps } from './runs-and-steps.ts';

export interface TaskPage {
  task: TaskView;
  details: TaskDetails;
  events: readonly TimelineEvent[];
  problem: ChainProblem | null;
}

export function taskBody(page: TaskPage): SafeHtml {
  const { task, details } = page;
  return html`${facts([
      [
        'State',
        html`<span id="state" class="state ${task.state}">${task.state}</span>
          <span id="reason">${task.reason}</span>`,
      ],
      ['Request', `${task.verb} on ${task.repository}#${task.number} by ${task.requester}`],
      ['Asked', moment(task.createdAt)],
      ['Since', moment(task.movedAt)],
      ['Branch', task.branch ?? '–'],
      ['Task', html`<code>${task.id}</code>`],
    ])}
    <section>
      <h2>Assessment</h2>
      ${
        details.assessments.length === 0
          ? html`<p class="empty">Not assessed yet.</p>`
          : details.assessments.map(
              (one) =>
                html`<p>
                    <span class="result ${one.decision}">${one.decision}</span>
                    ${moment(one.assessedAt)}
                  </p>
                  ${reasonTree(one.reasons)}`,
            )
      }
    </section>
    <section>
      <h2>Runs</h2>
      ${runsAndSteps(details)}
    </section>
    <section>
      <h2>Verdict</h2>
      ${
        details.verdict === null
          ? html`<p class="empty">Not judged yet.</p>`
          : html`<p>
                <span class="result ${details.verdict.decision}">${details.verdict.decision}</span>
                ${moment(details.verdict.givenAt)}
              </p>
              ${reasonTree(details.verdict.reasons)}`
      }
    </section>
    <section>
      <h2>Publication</h2>
      ${publication(details.publication)}
    </section>
    <section>
      <h2>Timeline</h2>
      ${timeline(page)}
    </section>`;
}

function publication(row: TaskDetails['publication']): SafeHtml {
  if (row === null) return html`<p class="empty">Nothing has left.</p>`;
  return facts([
    ['Pull request', row.pullNumber === null ? '–' : pullLink(row.pullNumber, row.pullUrl)],
    ['Branch', row.branch ?? '–'],
    ['Base', html`${row.baseRef} <code>${row.baseSha}</code>`],
    ['Head', row.headSha === null ? '–' : html`<code>${row.headSha}</code>`],
    ['Pushed', moment(row.pushedAt)],
    ['Opened', moment(row.openedAt)],
    ['Told', moment(row.commentedAt)],
  ]);
}

function timeline({ task, events, problem }: TaskPage): SafeHtml {
  return html`<p>
      ${
        problem === null
          ? html`<span class="result pass">holds</span> The hash chain of ${events.length} events
              was checked as this page was made.`
          : html`<span class="result fail">${problem.problem}</span> The hash chain breaks at event
              ${problem.seq}: what follows proves nothing.`
      } <span id="live"></span>
    </p>
    <table
      id="timeline"
      data-events="/tasks/${task.id}/events"
      data-after="${events.at(-1)?.seq ?? 0}"
    >
      <thead>
        <tr>
          <th>#</th>
          <th>Time (UTC)</th>
          <th>Process</th>
          <th>Event</th>
          <th>Facts</th>
        </tr>
      </thead>
      <tbody>
        ${events.map(
          (event) =>
            html`<tr>
              <td>${event.seq}</td>
              <td>${moment(event.at)}</td>
              <td>${event.process}</td>
              <td>${event.kind}</td>
              <td class="data">${describeEventData(event.data)}</td>
            </tr> `,
        )}
      </tbody>
    </table>`;
}

function facts(rows: readonly (readonly [string, HtmlValue])[]): SafeHtml {
  return html`<dl>
    ${rows.map(
      ([name, value]) =>
        html`<dt>${name}</dt>
          <dd>${value}</dd>`,
    )}
  </dl>`;
}
