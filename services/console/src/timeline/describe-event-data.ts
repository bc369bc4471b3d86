/** The facts of a timeline event on one line, the same on the page and in what is added to it live. */
import { visibleText } from '../visible-text.ts';

const MAX_CHARS = 1000;

/** `branch=agent/issue-1 sha=…`; facts that are not there are left out, long lists are cut. */
export function describeEventData(data: Record<string, unknown>): string {
  // What an event says in words stands before its facts.
  const { says, ...facts } = data;
  const words = typeof says === 'string' ? [says] : [];
  const pairs = Object.entries(facts)
    .filter(([, value]) => value !== null && value !== undefined)
    .map(([key, value]) => `${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`);
  const text = [...words, ...pairs].join(' ');
  const cut = text.length > MAX_CHARS ? `${text.slice(0, MAX_CHARS)}…` : text;
  return visibleText(cut);
}
