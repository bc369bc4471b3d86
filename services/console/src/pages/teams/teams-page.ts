/** The list of teams: where each comes from, who in it may not write, and what keeps him from that. */
import type { KnownTeam, TeamOrigin } from '../../teams/known-teams.ts';
import type { OperatorTeams } from '../../teams/operator-teams.ts';
import { html, type SafeHtml } from '../../html.ts';
import { moment } from '../layout.ts';
import { readOnlyNodes } from './enforcement.ts';

export const ORIGIN_WORDS: Readonly<Record<TeamOrigin, string>> = {
  operator: "the operator's file",
  shipped: 'ships with Sallyport',
  task: 'kept from a task',
};

export function teamsBody(teams: readonly KnownTeam[], operator: OperatorTeams): SafeHtml {
  return html`<p>
      <a href="/teams/new">Write a new team</a>, or open one to change a copy of it. You get the
      text of a team file; which teams may run is decided by the operator's file, not here.
    </p>
    ${operatorNote(operator)}
    <table class="teams">
      <thead>
        <tr>
          <th>Team</th>
          <th>From</th>
          <th>Nodes</th>
          <th>Read-only, and what keeps it so</th>
          <th>First task (UTC)</th>
        </tr>
      </thead>
      <tbody>
        ${teams.map(row)}
      </tbody>
    </table>`;
}

/** The page of one team, by name and hash: several may have one name. */
export function teamPath({ name, hash }: KnownTeam): string {
  return `/teams/${encodeURIComponent(name)}?version=${hash}`;
}

function row(known: KnownTeam): SafeHtml {
  const { team } = known;
  return html`<tr>
    <td><a href="${teamPath(known)}">${known.name}</a></td>
    <td>${ORIGIN_WORDS[known.origin]}</td>
    <td>${team === null ? '–' : team.nodes.map((node) => node.id).join(', ')}</td>
    <td>
      ${
        team === null
          ? html`<span class="empty">It was kept in a form that cannot be read any more.</span>`
          : readOnlyNodes(team)
      }
    </td>
    <td>${moment(known.keptAt)}</td>
  </tr> `;
}

function operatorNote(operator: OperatorTeams): SafeHtml {
  if (!operator.given) {
    return html`<p class="empty">
      The console is given no file of teams: those that ship are shown, and what tasks ran with.
    </p>`;
  }
  if (operator.problems.length === 0) {
    return html`<p>
      The operator's file is shown as it was when the console started. A task that names no team
      gets <strong>${operator.defaultName}</strong>.
    </p>`;
  }
  return html`<div class="problem" role="alert">
    <p>The operator's file of teams has problems; the gate does not start with it.</p>
    <ul>
      ${operator.problems.map((problem) => html`<li>${problem}</li>`)}
    </ul>
  </div>`;
}
