/** The tasks: what was asked for, where it stands, and why. */
import type { TaskView } from '@sallyport/shared/db/views/task-view';
import { TASK_STATES, type TaskState } from '@sallyport/shared/task/states';
import { html, type SafeHtml } from '../html.ts';
import { pullLink } from './links.ts';
import { moment } from './layout.ts';

export interface TaskFilter {
  waiting: boolean;
  state: TaskState | undefined;
}

export function taskList(tasks: readonly TaskView[], filter: TaskFilter): SafeHtml {
  return html`<form method="get" action="/" class="filter">
      <label
        >State
        <select name="state">
          <option value="">any</option>
          ${TASK_STATES.map(
            (state) => html`<option${state === filter.state && html` selected`}>${state}</option>`,
          )}
        </select></label
      >
      <label
        ><input type="checkbox" name="waiting" value="1" ${filter.waiting && html` checked`} />
        waits for a human</label
      >
      <button>Show</button>
    </form>
    ${
      tasks.length === 0
        ? html`<p class="empty">No such task.</p>`
        : html`<table>
            <thead>
              <tr>
                <th>State</th>
                <th>Subject</th>
                <th>Verb</th>
                <th>Requester</th>
                <th>Since (UTC)</th>
                <th>Reason</th>
                <th>Pull request</th>
              </tr>
            </thead>
            <tbody>
              ${tasks.map(row)}
            </tbody>
          </table>`
    }`;
}

function row(task: TaskView): SafeHtml {
  return html`<tr>
    <td><span class="state ${task.state}">${task.state}</span></td>
    <td><a href="/tasks/${task.id}">${task.repository}#${task.number}</a></td>
    <td>${task.verb}</td>
    <td>${task.requester}</td>
    <td>${moment(task.movedAt)}</td>
    <td>${task.reason}</td>
    <td>${pullLink(task.pullNumber, task.pullUrl)}</td>
  </tr> `;
}
