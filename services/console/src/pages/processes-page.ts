/** Which processes live, and which version of the halt each has acted upon. */
import type { Presence } from '@sallyport/shared/db/presence';
import { html, type SafeHtml } from '../html.ts';
import { moment } from './layout.ts';

export function processList(processes: readonly Presence[]): SafeHtml {
  if (processes.length === 0)
    return html`<p class="empty">No process was alive within the last hour.</p>`;
  return html`<p>Every process that was alive within the last hour.</p>
    <table>
      <thead>
        <tr>
          <th>Process</th>
          <th>Host</th>
          <th>Alive</th>
          <th>Started (UTC)</th>
          <th>Last sign (UTC)</th>
          <th>Halt version</th>
        </tr>
      </thead>
      <tbody>
        ${processes.map(
          (p) =>
            html`<tr>
              <td>${p.process}</td>
              <td>${p.host}</td>
              <td>
                <span class="result ${p.alive ? 'pass' : 'fail'}">${p.alive ? 'yes' : 'no'}</span>
              </td>
              <td>${moment(p.startedAt)}</td>
              <td>${moment(p.beatAt)}</td>
              <td>${p.haltVersion}</td>
            </tr> `,
        )}
      </tbody>
    </table>`;
}
