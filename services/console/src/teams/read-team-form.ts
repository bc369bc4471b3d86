/**
 * Takes the fields of the team form apart. A field is named by its place in the team (`nodes.2.agent.cli`), which is how a
 * problem finds the field that it is about. What the form does not have is refused: nobody means a field that does nothing.
 */
import { AppError } from '@sallyport/shared/errors';
import { fromVisibleText } from '../visible-text.ts';
import type { EdgeDraft, NodeDraft, TeamDraft } from './team-draft.ts';

/** More than a team may have, so that one too many is told beside the form and not on a page without one. */
export const MAX_NODES = 60;
export const MAX_EDGES = 600;

export const TEAM_ACTS = [
  'check',
  'download_yaml',
  'download_json',
  'add_node',
  'add_edge',
] as const;
export type TeamAct = (typeof TEAM_ACTS)[number] | { remove: 'node' | 'edge'; index: number };

/** Where each text of a node stands in the team; its two checkboxes and the CLI are read apart. */
const NODE_FIELDS = {
  id: 'id',
  model: 'agent.model',
  autonomous: 'agent.autonomous',
  command: 'agent.command',
  args: 'agent.args',
  version: 'version',
  prompt: 'prompt',
  readOnlyLevel: 'readOnlyLevel',
  onWriteAttempt: 'onWriteAttempt',
  join: 'join',
  maxVisits: 'maxVisits',
  timeoutMinutes: 'timeoutMinutes',
  attempts: 'attempts',
} as const satisfies Partial<Record<keyof NodeDraft, string>>;
const CLI = 'agent.cli';
/** The value of the list of CLIs that means: the one whose name stands beside it. */
export const OTHER_CLI = '';
export const OTHER_CLI_FIELD = 'agent.cli.other';
const KNOWN_OF_NODE = new Set<string>([
  ...Object.values(NODE_FIELDS),
  CLI,
  OTHER_CLI_FIELD,
  'readOnly',
  'agent.readOnly',
]);
const KNOWN_OF_EDGE = new Set(['from', 'to', 'on']);
const KNOWN_OF_TEAM = new Set([
  'name',
  'description',
  'readOnly',
  'readOnlyLevel',
  'entry',
  'csrf',
  'act',
]);

type Fields = ReadonlyMap<string, string>;

/** The draft and what is to be done with it. @throws AppError `bad_input` for fields that are not of this form. */
export function readTeamForm(body: unknown): { draft: TeamDraft; act: TeamAct } {
  const team = new Map<string, string>();
  const nodes = new Map<number, Map<string, string>>();
  const edges = new Map<number, Map<string, string>>();
  for (const [name, value] of Object.entries(typeof body === 'object' ? (body ?? {}) : {})) {
    if (typeof value !== 'string') throw new AppError('bad_input', `${name}: must be a text`);
    const text = fromVisibleText(value.replaceAll('\r\n', '\n'));
    const part = /^(nodes|edges)\.(0|[1-9][0-9]{0,2})\.(.+)$/.exec(name);
    const index = Number(part?.[2]);
    const field = part?.[3] ?? '';
    if (part?.[1] === 'nodes' && KNOWN_OF_NODE.has(field) && index < MAX_NODES) {
      put(nodes, index, field, text);
    } else if (part?.[1] === 'edges' && KNOWN_OF_EDGE.has(field) && index < MAX_EDGES) {
      put(edges, index, field, text);
    } else if (KNOWN_OF_TEAM.has(name)) {
      team.set(name, text);
    } else {
      throw new AppError('bad_input', `${name.slice(0, 100)}: the form has no such field`);
    }
  }
  const draft: TeamDraft = {
    name: textOf(team, 'name').trim(),
    description: textOf(team, 'description'),
    readOnly: team.has('readOnly'),
    readOnlyLevel: textOf(team, 'readOnlyLevel') || 'reflex',
    entry: textOf(team, 'entry'),
    nodes: inOrder(nodes).map(readNode),
    edges: inOrder(edges).map(readEdge),
  };
  return { draft, act: readAct(textOf(team, 'act')) };
}

/** The draft after an act that changes its rows; the others leave it as it is. */
export function applyAct(draft: TeamDraft, act: TeamAct, emptyNode: NodeDraft): TeamDraft {
  if (act === 'add_node' && draft.nodes.length < MAX_NODES) {
    return { ...draft, nodes: [...draft.nodes, emptyNode] };
  }
  if (act === 'add_edge' && draft.edges.length < MAX_EDGES) {
    const from = draft.edges.at(-1)?.to ?? draft.nodes[0]?.id ?? '';
    return { ...draft, edges: [...draft.edges, { from, to: '', on: '' }] };
  }
  if (typeof act === 'string') return draft;
  return act.remove === 'node'
    ? { ...draft, nodes: draft.nodes.filter((_, i) => i !== act.index) }
    : { ...draft, edges: draft.edges.filter((_, i) => i !== act.index) };
}

function readAct(text: string): TeamAct {
  const known = TEAM_ACTS.find((act) => act === text);
  if (known !== undefined) return known;
  const removal = /^remove_(node|edge)\.([0-9]{1,3})$/.exec(text);
  if (removal === null) throw new AppError('bad_input', 'act: the form has no such button');
  return { remove: removal[1] === 'node' ? 'node' : 'edge', index: Number(removal[2]) };
}

function readNode(fields: Fields): NodeDraft {
  const texts = Object.fromEntries(
    Object.entries(NODE_FIELDS).map(([key, field]) => [key, textOf(fields, field)]),
  ) as Record<keyof typeof NODE_FIELDS, string>;
  const chosen = textOf(fields, CLI);
  return {
    ...texts,
    id: texts.id.trim(),
    cli: chosen === OTHER_CLI ? textOf(fields, OTHER_CLI_FIELD).trim() : chosen,
    readOnly: fields.has('readOnly'),
    agentReadOnly: fields.has('agent.readOnly'),
    readOnlyLevel: texts.readOnlyLevel || 'reflex',
    onWriteAttempt: texts.onWriteAttempt || 'note',
  };
}

function readEdge(fields: Fields): EdgeDraft {
  return {
    from: textOf(fields, 'from').trim(),
    to: textOf(fields, 'to').trim(),
    on: textOf(fields, 'on'),
  };
}

function put(
  rows: Map<number, Map<string, string>>,
  index: number,
  field: string,
  text: string,
): void {
  const row = rows.get(index) ?? new Map<string, string>();
  row.set(field, text);
  rows.set(index, row);
}

function inOrder(rows: ReadonlyMap<number, Fields>): Fields[] {
  return [...rows].toSorted(([a], [b]) => a - b).map(([, fields]) => fields);
}

function textOf(fields: Fields, name: string): string {
  return fields.get(name) ?? '';
}
