/**
 * A team as it stands in the form: texts, right or wrong, so that nobody loses what he typed because something in it is
 * wrong. Every field of a team has its place here; a team that is opened and written again is the same.
 */
import type { Team, TeamEdge, TeamNode } from '@sallyport/teams/team';

export interface NodeDraft {
  id: string;
  cli: string;
  /** For the sentence alone; no team file knows versions. */
  version: string;
  model: string;
  autonomous: string;
  command: string;
  args: string;
  agentReadOnly: boolean;
  prompt: string;
  readOnly: boolean;
  readOnlyLevel: string;
  onWriteAttempt: string;
  join: string;
  maxVisits: string;
  timeoutMinutes: string;
  attempts: string;
}

export interface EdgeDraft {
  from: string;
  to: string;
  on: string;
}

export interface TeamDraft {
  name: string;
  description: string;
  readOnly: boolean;
  readOnlyLevel: string;
  entry: string;
  nodes: NodeDraft[];
  edges: EdgeDraft[];
}

/** A node of which nothing is known yet. */
export const EMPTY_NODE: NodeDraft = {
  id: '',
  cli: 'claude',
  version: '',
  model: '',
  autonomous: '',
  command: '',
  args: '',
  agentReadOnly: false,
  prompt: '',
  readOnly: false,
  readOnlyLevel: 'reflex',
  onWriteAttempt: 'note',
  join: '',
  maxVisits: '',
  timeoutMinutes: '',
  attempts: '',
};

export const EMPTY_TEAM: TeamDraft = {
  name: '',
  description: '',
  readOnly: false,
  readOnlyLevel: 'reflex',
  entry: '',
  nodes: [EMPTY_NODE],
  edges: [],
};

/** The form of a team that there is. */
export function draftOf(team: Team): TeamDraft {
  return {
    name: team.name,
    description: team.description ?? '',
    readOnly: team.readOnly,
    readOnlyLevel: team.readOnlyLevel,
    entry: team.entry?.join(' ') ?? '',
    nodes: team.nodes.map(nodeDraft),
    edges: team.edges.map(({ from, to, on }) => ({ from, to, on: on ?? '' })),
  };
}

function nodeDraft({ agent, ...node }: TeamNode): NodeDraft {
  return {
    id: node.id,
    cli: agent.cli,
    version: '',
    model: agent.model ?? '',
    autonomous: agent.autonomous === undefined ? '' : String(agent.autonomous),
    command: agent.command ?? '',
    args: argsText(agent.args ?? []),
    agentReadOnly: agent.readOnly === true,
    prompt: node.prompt,
    readOnly: node.readOnly,
    readOnlyLevel: node.readOnlyLevel,
    onWriteAttempt: node.onWriteAttempt,
    join: node.join ?? '',
    maxVisits: String(node.maxVisits),
    timeoutMinutes: String(node.timeoutMinutes),
    attempts: String(node.attempts),
  };
}

/** What the draft says, in the shape in which a team file would say it; whether it is a team is for `checkTeam` to say. */
export function teamValue(draft: TeamDraft): Record<string, unknown> {
  const entry = draft.entry.split(/[\s,]+/).filter((id) => id !== '');
  return {
    v: 1,
    name: draft.name,
    ...given('description', draft.description),
    ...(draft.readOnly && { readOnly: true }),
    readOnlyLevel: draft.readOnlyLevel,
    ...(entry.length > 0 && { entry }),
    nodes: draft.nodes.map(nodeValue),
    edges: draft.edges.map(edgeValue),
  };
}

function nodeValue(node: NodeDraft): Record<string, unknown> {
  const args = readArgs(node.args);
  return {
    id: node.id,
    agent: {
      cli: node.cli,
      ...given('command', node.command),
      ...(args.length > 0 && { args }),
      ...given('model', node.model),
      ...given('autonomous', readAutonomous(node.autonomous)),
      ...(node.agentReadOnly && { readOnly: true }),
    },
    prompt: node.prompt,
    ...(node.readOnly && { readOnly: true }),
    readOnlyLevel: node.readOnlyLevel,
    onWriteAttempt: node.onWriteAttempt,
    ...given('join', node.join),
    ...given('maxVisits', readNumber(node.maxVisits)),
    ...given('timeoutMinutes', readNumber(node.timeoutMinutes)),
    ...given('attempts', readNumber(node.attempts)),
  };
}

function edgeValue({ from, to, on }: EdgeDraft): Record<string, unknown> & Pick<TeamEdge, 'from'> {
  return { from, to, ...given('on', on) };
}

/** An empty field is one that was not filled in. */
function given(key: string, value: unknown): Record<string, unknown> {
  return value === '' ? {} : { [key]: value };
}

function readNumber(text: string): number | string {
  return /^[0-9]{1,9}$/.test(text.trim()) ? Number(text) : text.trim();
}

function readAutonomous(text: string): boolean | string {
  if (text === 'true') return true;
  return text === 'false' ? false : text;
}

/** One argument a line; a JSON list where lines could not say it. */
function argsText(args: readonly string[]): string {
  const plain = args.every((arg) => arg !== '' && arg.trim() === arg && !/[\r\n]/.test(arg));
  return plain && args[0]?.startsWith('[') !== true ? args.join('\n') : JSON.stringify(args);
}

function readArgs(text: string): unknown[] {
  if (text.trim().startsWith('[')) {
    try {
      const list: unknown = JSON.parse(text);
      if (Array.isArray(list)) return list as unknown[];
    } catch {
      // An argument that begins with a bracket is one, too.
    }
  }
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}
