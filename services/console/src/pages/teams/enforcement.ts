/** Who of a team may not write and what keeps him from it, in the words of the timeline and of `team show`. */
import { AppError } from '@sallyport/shared/errors';
import { describeNode, type NodeDescription } from '@sallyport/teams/describe-node';
import type { Team, TeamNode } from '@sallyport/teams/team';
import { html, type SafeHtml } from '../../html.ts';

export type ShownNode =
  | NodeDescription
  /** One that could not be started under the rule. */
  | { id: string; cli: string; readOnly: true; level: null; sentence: string; leavesOpen: [] };

export function showNode(team: Team, node: TeamNode): ShownNode {
  try {
    return describeNode(team, node);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const sentence = `It does not start under the rule: ${error.message}.`;
    const { cli } = node.agent;
    return { id: node.id, cli, readOnly: true, level: null, sentence, leavesOpen: [] };
  }
}

/** The read-only nodes of a team; those of which the same is said stand together. */
export function readOnlyNodes(team: Team): SafeHtml {
  const bySentence = new Map<string, string[]>();
  for (const node of team.nodes) {
    const shown = showNode(team, node);
    if (!shown.readOnly) continue;
    const name = shown.level === null ? shown.id : `${shown.id} (${shown.level})`;
    bySentence.set(shown.sentence, [...(bySentence.get(shown.sentence) ?? []), name]);
  }
  if (bySentence.size === 0) return html`<span class="empty">Every node may write.</span>`;
  return html`${[...bySentence].map(
    ([sentence, names]) =>
      html`<p class="says"><strong>${names.join(', ')}</strong>: ${sentence}</p>`,
  )}`;
}

/** What the CLI lets through; nothing where that is nothing. */
export function leftOpen(items: readonly string[]): SafeHtml {
  return html`<ul class="left-open">
    ${items.map((item) => html`<li>${item}</li>`)}
  </ul>`;
}
