/**
 * Finds the command in a comment: `/agent VERB [--team NAME] [text]` at the very start of a visible line. The first one
 * counts and no other, so that one comment is one request.
 */
import { visibleLines } from './hidden-lines.ts';

export interface Command {
  /** Lower case. Any word: whether it is understood is decided later, with an answer to the requester. */
  verb: string;
  /** The team that was asked for; null when none was named, '' when `--team` came without a possible name. */
  team: string | null;
  /** The rest of the line, as a reader of the comment sees it. */
  text: string;
}

const COMMAND = /^\/agent[ \t]+([A-Za-z][A-Za-z-]{0,31})(?:[ \t]+(.*))?$/;
const TEAM_NAME = /^[a-z][a-z0-9-]{0,39}$/;
const HTML_COMMENT = /<!--.*?(?:-->|$)/g;
const TEAM_OPTION = /^--team(?:[ \t=]+|$)(\S*)[ \t]*(.*)$/;

/** The first command of a comment, or null. */
export function findCommand(comment: string): Command | null {
  for (const line of visibleLines(comment)) {
    const match = COMMAND.exec(line.trimEnd());
    if (match?.[1] === undefined) continue;
    const verb = match[1].toLowerCase();
    const rest = (match[2] ?? '').replace(HTML_COMMENT, '').trim();
    const option = TEAM_OPTION.exec(rest);
    if (option === null) return { verb, team: null, text: rest };
    const [, name = '', text = ''] = option;
    return { verb, team: TEAM_NAME.test(name) ? name : '', text };
  }
  return null;
}
