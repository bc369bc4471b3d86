/** What keeps a node of a draft from writing, though the draft may not be a team yet. */
import {
  describeEnforcement,
  type Enforcement,
} from '@sallyport/teams/readonly/describe-enforcement';
import { WRITING_SENTENCE } from '@sallyport/teams/readonly/enforcement-sentence';
import { addRestrictions } from '@sallyport/teams/readonly/restrictions';
import { READ_ONLY_LEVELS, type ReadOnlyLevel } from '@sallyport/teams/restriction-words';
import type { NodeDraft, TeamDraft } from './team-draft.ts';

/** What is said of a node whose CLI has no name yet. */
export const UNNAMED_SENTENCE = 'Name the CLI to read what keeps it from writing.';

export interface DraftEnforcement extends Pick<Enforcement, 'sentence' | 'leavesOpen'> {
  /** The question that was answered, as the page's script would ask it; `null` for a node that may write. */
  asked: string;
}

/** The sentence under a node's checkbox, with what is left to the mount. */
export function enforcementOf(team: TeamDraft, node: NodeDraft): DraftEnforcement {
  const restriction = addRestrictions([
    { source: 'team', readOnly: team.readOnly, level: levelOf(team.readOnlyLevel) },
    { source: 'node', readOnly: node.readOnly, level: levelOf(node.readOnlyLevel) },
    { source: 'agent', readOnly: node.agentReadOnly },
  ]);
  if (restriction === null) return { asked: 'null', sentence: WRITING_SENTENCE, leavesOpen: [] };
  const { level } = restriction;
  const asked = new URLSearchParams({ cli: node.cli, level, version: node.version }).toString();
  if (node.cli === '') return { asked, sentence: UNNAMED_SENTENCE, leavesOpen: [] };
  const version = node.version.trim();
  return { asked, ...describeEnforcement(node.cli, level, version === '' ? undefined : version) };
}

function levelOf(text: string): ReadOnlyLevel | undefined {
  return READ_ONLY_LEVELS.find((level) => level === text);
}
