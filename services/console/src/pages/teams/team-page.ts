/** One team: its nodes with what keeps each from writing, its edges, its file. */
import type { Team } from '@sallyport/teams/team';
import { writeTeamFile } from '@sallyport/teams/write-team-file';
import { html, type SafeHtml } from '../../html.ts';
import type { KnownTeam } from '../../teams/known-teams.ts';
import { leftOpen, showNode } from './enforcement.ts';
import { ORIGIN_WORDS, teamPath } from './teams-page.ts';

export function teamBody(known: KnownTeam): SafeHtml {
  const { team } = known;
  const from = html`<p>
    From: ${ORIGIN_WORDS[known.origin]}. Version <code>${known.hash.slice(0, 12)}</code>.
  </p>`;
  if (team === null) {
    return html`${from}
      <p class="problem">It was kept in a form that this version cannot read.</p>`;
  }
  const path = teamPath(known);
  return html`<p>${team.description}</p>
    ${from}
    <p>
      <a href="/teams/new?from=${known.name}&amp;version=${known.hash}">Open in the form</a> ·
      <a href="${path.replace('?', '/file?')}">Download ${known.name}.yaml</a>
    </p>
    <h2>Nodes</h2>
    <table>
      <thead>
        <tr>
          <th>Node</th>
          <th>CLI</th>
          <th>May write</th>
          <th>What keeps it from writing</th>
          <th>Then</th>
        </tr>
      </thead>
      <tbody>
        ${team.nodes.map((node) => row(team, node))}
      </tbody>
    </table>
    <h2>The file</h2>
    <pre class="file">${writeTeamFile(team)}</pre>`;
}

function row(team: Team, node: Team['nodes'][number]): SafeHtml {
  const shown = showNode(team, node);
  const next = team.edges.filter((edge) => edge.from === node.id);
  return html`<tr>
    <td>${node.id}</td>
    <td>${[node.agent.cli, node.agent.model].filter(Boolean).join(', ')}</td>
    <td>${shown.readOnly ? `read-only (${shown.level ?? 'cannot start'})` : 'writes'}</td>
    <td class="says">
      ${
        shown.readOnly &&
        html`${shown.sentence}
        ${shown.leavesOpen.length > 0 && html`Left to the mount: ${leftOpen(shown.leavesOpen)}`}`
      }
    </td>
    <td>
      ${next.length === 0 && html`<span class="empty">end</span>`}${next.map(
        (edge) => html`<div>→ ${edge.to}${edge.on !== undefined && ` on ${edge.on}`}</div>`,
      )}
    </td>
  </tr> `;
}
