/** The halt: what is halted, who has acted upon it, and the two forms that change it. */
import type { HaltStatus } from '@sallyport/shared/db/views/halt-status';
import type { Operator } from '../auth/authenticate.ts';
import { html, type SafeHtml } from '../html.ts';
import { csrfField, moment } from './layout.ts';

export function haltBody(status: HaltStatus, operator: Operator, problem: string | null): SafeHtml {
  return html`${problem !== null && html`<p class="problem" role="alert">${problem}</p>`}
    ${status.halts.length === 0 ? html`<p>Nothing is halted.</p>` : current(status, operator)}
    <p>Acted upon by: ${status.acknowledged.join(', ') || 'nobody (nothing runs)'}.</p>
    ${
      status.waitingFor.length > 0 &&
      html`<p class="problem">
        Not yet by: ${status.waitingFor.join(', ')}. <a href="/halt">Look again</a>
      </p>`
    }
    <h2>Set a halt</h2>
    <form method="post" action="/halt" class="fields">
      ${csrfField(operator)}
      <fieldset>
        <legend>What</legend>
        <label><input type="radio" name="scope" value="all" checked /> everything</label>
        <label
          ><input type="radio" name="scope" value="repo" /> one repository:
          <input name="repo" placeholder="OWNER/NAME or numeric id" maxlength="200"
        /></label>
      </fieldset>
      <fieldset>
        <legend>How</legend>
        <label
          ><input type="radio" name="level" value="drain" checked /> drain: what runs may finish,
          nothing starts, nothing is published</label
        >
        <label
          ><input type="radio" name="level" value="stop" /> stop: what runs is ended too, its work
          kept</label
        >
      </fieldset>
      <label>Why <input name="reason" required maxlength="1000" /></label>
      <button class="danger">Halt</button>
    </form>`;
}

function current(status: HaltStatus, operator: Operator): SafeHtml {
  return html`<table>
    <thead>
      <tr>
        <th>What</th>
        <th>Level</th>
        <th>Why</th>
        <th>Who</th>
        <th>Since (UTC)</th>
        <th></th>
      </tr>
    </thead>
    <tbody>
      ${status.halts.map(
        (halt) =>
          html`<tr>
            <td>${halt.scope === 'all' ? 'everything' : halt.scope}</td>
            <td>${halt.level}</td>
            <td>${halt.reason}</td>
            <td>${halt.by}</td>
            <td>${moment(halt.since)}</td>
            <td>
              <form method="post" action="/resume">
                ${csrfField(operator)}<input
                  type="hidden"
                  name="scope"
                  value="${halt.scope}"
                /><button>Lift</button>
              </form>
            </td>
          </tr> `,
      )}
    </tbody>
  </table>`;
}
