/**
 * The texts of a publication: commit message, title and body of the pull request. What the machine knows stands first and
 * in its own words; what agents said is quoted below and called a claim.
 */
import { composeBody } from '@sallyport/policy/compose-body';
import { cleanBody, cleanTitle } from '@sallyport/policy/text';
import { mention } from './comments.ts';

export interface StepLine {
  node: string;
  visit: number;
  attempt: number;
  readOnly: boolean;
  /** Null while it has not ended. */
  durationMs: number | null;
  outcome: string;
  /** Whether it wrote to the project; what a read-only step wrote was discarded. */
  wrote: boolean;
}

export interface PullFacts {
  taskId: string;
  requester: string;
  issueNumber: number;
  issueTitle: string;
  /** Whether merging the pull request settles the issue. */
  closesIssue: boolean;
  team: string;
  base: { ref: string; sha: string };
  /** Findings that did not stop the publication, one sentence each. */
  notes: readonly string[];
  /** Weaknesses of the base's protection, one sentence each. */
  protectionNotes: readonly string[];
  steps: readonly StepLine[];
  /** In the agents' words; cleaned here. */
  summary: string;
}

const MAX_LISTED = 20;
const MAX_NOTE_CHARS = 400;
const MAX_STEPS = 100;

/** The hidden mark by which a pull request of ours is known. */
export function pullMark(taskId: string): string {
  return `<!-- sallyport task=${taskId} -->`;
}

/** The message of the one commit: nothing of it is an agent's. */
export function commitMessage(facts: Pick<PullFacts, 'issueNumber' | 'team' | 'taskId'>): string {
  return [
    `Change by coding agents for issue ${facts.issueNumber}`,
    '',
    `Written by the team ${word(facts.team)}; see the pull request for who asked and what was checked.`,
    '',
    `Sallyport-Task: ${facts.taskId}`,
    '',
  ].join('\n');
}

/** One line of at most 200 characters. */
export function pullTitle(facts: Pick<PullFacts, 'issueNumber' | 'issueTitle'>): string {
  const title = cleanTitle(facts.issueTitle, { maxChars: 150 }).text;
  return title === ''
    ? `Change for issue #${facts.issueNumber}`
    : `${title} (#${facts.issueNumber})`;
}

/** Markdown of at most 60 000 characters. */
export function pullBody(facts: PullFacts): string {
  const header = [
    pullMark(facts.taskId),
    `Written by coding agents because ${mention(facts.requester)} asked for it. No human has reviewed it yet.`,
    `${facts.closesIssue ? 'Fixes' : 'Refs'} #${facts.issueNumber}`,
    factTable(facts),
    list('Worth a look', [...facts.notes, ...facts.protectionNotes]),
    stepTable(facts.steps),
    facts.summary.trim() === ''
      ? ''
      : '### What the agents say\n\nThese are claims; the checks of this repository are the evidence.',
  ];
  return composeBody(
    { header: header.filter((part) => part !== '').join('\n\n'), agentText: facts.summary },
    { closesIssue: facts.closesIssue ? facts.issueNumber : null },
  ).text;
}

function factTable(facts: PullFacts): string {
  const findings = facts.notes.length === 0 ? 'nothing found' : `${facts.notes.length} noted below`;
  return [
    '| | |',
    '|---|---|',
    `| Team | ${code(facts.team)} |`,
    `| Starts from | ${code(facts.base.ref)} at ${code(facts.base.sha)} |`,
    `| Diff policy | passed, ${findings} |`,
    `| Task | ${code(facts.taskId)} |`,
  ].join('\n');
}

function list(title: string, notes: readonly string[]): string {
  if (notes.length === 0) return '';
  const lines = notes
    .slice(0, MAX_LISTED)
    .map((note) => `- ${cleanBody(note, { maxChars: MAX_NOTE_CHARS }).text.replace(/\s+/g, ' ')}`);
  const rest = notes.length - lines.length;
  return [`### ${title}`, '', ...lines, ...(rest > 0 ? [`- and ${rest} more`] : [])].join('\n');
}

function stepTable(steps: readonly StepLine[]): string {
  if (steps.length === 0) return '';
  const rows = steps.slice(0, MAX_STEPS).map((step) => {
    const took = step.durationMs === null ? '–' : `${(step.durationMs / 1000).toFixed(1)} s`;
    const tree = step.wrote ? (step.readOnly ? 'written to, discarded' : 'changed') : 'unchanged';
    return `| ${code(step.node)} | ${step.visit}.${step.attempt} | ${step.readOnly ? 'yes' : 'no'} | ${took} | ${code(step.outcome)} | ${tree} |`;
  });
  return [
    '### Steps',
    '',
    '| step | visit.attempt | read-only | took | outcome | project |',
    '|---|---|---|---|---|---|',
    ...rows,
  ].join('\n');
}

/** A code span that ends neither itself nor its table cell. */
function code(text: string): string {
  const safe = word(text);
  return safe === '' ? '–' : `\`${safe}\``;
}

/** Printable ASCII without what Markdown or a trailer could make something of. */
function word(text: string): string {
  return text
    .replace(/[^A-Za-z0-9 ._/:+#-]/g, '')
    .trim()
    .slice(0, 100);
}
