/**
 * The body of a pull request or comment: what the machine says first, then the agent's text as a quotation, so that a reader
 * sees who speaks. The whole stays below GitHub's limit; what gives way is the agent's text.
 */
import { cleanBody, MAX_AGENT_BODY_CHARS, MAX_BODY_CHARS } from './text.ts';
import type { CleanText, TextOptions } from './text.ts';
import { parseBlocks } from './text/blocks.ts';
import { renderWithin } from './text/cut.ts';

export interface BodyParts {
  /** Written by the system from its templates; never cleaned. */
  header: string;
  /** As the agent gave it; cleaned here. */
  agentText: string;
  footer?: string;
}

/** Each line is quoted by two more characters, so text of half the room always fits. */
const QUOTED_PER_CHAR = 2;

/** The whole body, at most 60 000 UTF-16 units. */
export function composeBody(parts: BodyParts, options: TextOptions = {}): CleanText {
  const footer = parts.footer === undefined || parts.footer === '' ? '' : `\n\n${parts.footer}`;
  const room = MAX_BODY_CHARS - parts.header.length - footer.length - '\n\n'.length;
  const fitting = Math.max(0, Math.floor(room / QUOTED_PER_CHAR) - QUOTED_PER_CHAR);
  const wanted = options.maxChars ?? MAX_AGENT_BODY_CHARS;
  const agent = cleanBody(parts.agentText, { ...options, maxChars: Math.min(wanted, fitting) });
  const quoted = agent.text === '' ? '' : `\n\n${quoteText(agent.text)}`;
  const whole = `${parts.header}${quoted}${footer}`;
  if (whole.length <= MAX_BODY_CHARS) return { text: whole, notes: agent.notes };
  const { text } = renderWithin(parseBlocks(whole), MAX_BODY_CHARS);
  return { text, notes: [...new Set([...agent.notes, 'cut' as const])] };
}

/** Each line behind `> `. */
export function quoteText(text: string): string {
  return text
    .split('\n')
    .map((line) => (line === '' ? '>' : `> ${line}`))
    .join('\n');
}
