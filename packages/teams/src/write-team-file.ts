/**
 * Writes a team as the text of a team file: what a reader of it gets is the same team, defaults are left out, and nothing in
 * it is invisible, so that what somebody reviews is what will run.
 */
import { Document, isMap, isScalar, isSeq, Scalar, visit } from 'yaml';
import { TeamShapeSchema, type Team } from './team.ts';

const LINE_CHARS = 100;
// Controls but tab and newline, formatting marks that hide or reorder text, line separators, lone halves, private use.
const INVISIBLE = /(?![\t\n])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Co}]/u;
const INVISIBLE_ALL = new RegExp(INVISIBLE.source, 'gu');

/** YAML that `readTeamFile` reads as this very team. */
export function writeTeamFile(team: Team): string {
  const document = new Document(teamFileValue(team));
  visit(document, {
    Scalar(_key, node) {
      if (typeof node.value === 'string' && INVISIBLE.test(node.value)) {
        node.type = Scalar.QUOTE_DOUBLE;
      }
    },
  });
  const edges = document.get('edges');
  if (isSeq(edges)) for (const edge of edges.items) if (isMap(edge)) edge.flow = true;
  const nodes = document.get('nodes');
  if (isSeq(nodes))
    for (const node of nodes.items) if (isMap(node)) flowShortAgent(node.get('agent'));
  const text = document.toString({ lineWidth: LINE_CHARS });
  // They stand in double quotes alone, where an escape means the same.
  return text.replace(INVISIBLE_ALL, escapeOf);
}

/** The same as JSON, of which YAML is a superset: for a place that takes no YAML. */
export function writeTeamJson(team: Team): string {
  return `${JSON.stringify(teamFileValue(team), null, 2)}\n`.replace(INVISIBLE_ALL, (character) =>
    Array.from(
      { length: character.length },
      (_, i) => `\\u${character.charCodeAt(i).toString(16).toUpperCase().padStart(4, '0')}`,
    ).join(''),
  );
}

/** An agent without lists fits on one line. */
function flowShortAgent(agent: unknown): void {
  if (!isMap(agent)) return;
  const values = agent.items.map((pair) => pair.value);
  agent.flow = values.every((value) => isScalar(value) && String(value.value).length <= 40);
}

function escapeOf(character: string): string {
  const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase();
  return code.length > 4 ? `\\U${code.padStart(8, '0')}` : `\\u${code.padStart(4, '0')}`;
}

/** What a team is when nothing is said, read from the schema itself. */
const DEFAULTS = TeamShapeSchema.parse({
  v: 1,
  name: 'x',
  nodes: [{ id: 'x', agent: { cli: 'x' }, prompt: '' }],
});

function teamFileValue(team: Team): unknown {
  const { nodes: _nodes, name: _name, v: _v, ...teamDefaults } = DEFAULTS;
  const { id: _id, agent: _agent, prompt: _prompt, ...nodeDefaults } = DEFAULTS.nodes[0] ?? {};
  return {
    ...differing(team, teamDefaults),
    nodes: team.nodes.map((node) => differing(node, nodeDefaults)),
    ...(team.edges.length > 0 && { edges: team.edges }),
  };
}

function differing(value: object, defaults: object): Record<string, unknown> {
  const known = new Map<string, unknown>(Object.entries(defaults));
  return Object.fromEntries(
    Object.entries(value).filter(
      ([key, field]) =>
        field !== undefined && JSON.stringify(field) !== JSON.stringify(known.get(key)),
    ),
  );
}
