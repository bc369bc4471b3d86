/**
 * Whether a team of the right shape can run: every edge leads somewhere, every node can be come to and left, no join waits
 * in vain, and no two nodes that write can ever be at work at the same time on the same tree.
 */
import { findConcurrency } from './graph/concurrent-nodes.ts';
import {
  buildGraph,
  endingOutcomes,
  type GraphInput,
  type GraphNode,
  type TeamGraph,
} from './graph/team-graph.ts';
import { nodeWrites } from './graph/writes.ts';
import { nearestName } from './nearest-name.ts';
import type { TeamProblem, TeamProblemCode } from './team-problem.ts';

/** What of a team decides whether it can run; a parsed team is one. */
export interface ValidatedTeam extends GraphInput {
  readOnly: boolean;
  nodes: readonly (GraphNode & {
    readOnly: boolean;
    agent?: { readOnly?: boolean | undefined };
  })[];
}

/** Every problem of the graph. Names that are wrong are told alone: what follows from them would only confuse. */
export function validateTeam(team: ValidatedTeam): TeamProblem[] {
  const names = nameProblems(team);
  if (names.length > 0) return names;
  const graph = buildGraph(team);
  const unreachable = unreachableNodes(graph);
  const { pairs, joins } = findConcurrency(graph);
  const writers = new Set(team.nodes.filter((n) => nodeWrites(team, n)).map((n) => n.id));
  return [
    ...duplicateEdges(team),
    ...unreachable.map((id) =>
      nodeProblem(graph, 'unreachable_node', id, `no way leads from an entry to "${id}"`, {
        hint: 'add an edge that leads there, name it in `entry`, or remove it',
      }),
    ),
    ...(unreachable.length > 0 ? [] : endlessNodes(graph)),
    ...pairs
      .filter(([a, b]) => writers.has(a) && writers.has(b))
      .map(([a, b]) => twoWriters(graph, a, b)),
    ...vainJoins(graph, joins, unreachable),
  ];
}

function nameProblems(team: ValidatedTeam): TeamProblem[] {
  const problems: TeamProblem[] = [];
  const ids = new Set<string>();
  for (const [i, { id }] of team.nodes.entries()) {
    if (ids.has(id)) {
      problems.push(error('duplicate_id', ['nodes', i, 'id'], `"${id}" stands twice`));
    }
    ids.add(id);
  }
  function unknown(code: TeamProblemCode, path: TeamProblem['path'], id: string): void {
    if (ids.has(id)) return;
    const near = nearestName(id, ids);
    const problem = error(code, path, `there is no node "${id}"`);
    problems.push(near === undefined ? problem : { ...problem, hint: `did you mean "${near}"?` });
  }
  for (const [i, edge] of team.edges.entries()) {
    for (const end of ['from', 'to'] as const) {
      unknown('edge_to_nowhere', ['edges', i, end], edge[end]);
    }
  }
  for (const [i, id] of (team.entry ?? []).entries()) unknown('no_entry', ['entry', i], id);
  return problems;
}

function duplicateEdges(team: ValidatedTeam): TeamProblem[] {
  return team.edges.flatMap((edge, i) => {
    const overlaps = team.edges
      .slice(0, i)
      .some(
        (e) =>
          e.from === edge.from &&
          e.to === edge.to &&
          (e.on === undefined || edge.on === undefined || e.on === edge.on),
      );
    if (!overlaps) return [];
    const message = `another edge already leads from "${edge.from}" to "${edge.to}" for this outcome`;
    return [{ ...error('duplicate_edge', ['edges', i], message), severity: 'warning' as const }];
  });
}

function unreachableNodes(graph: TeamGraph): string[] {
  return graph.order.filter(
    (id) => !graph.entries.includes(id) && !graph.entries.some((entry) => graph.reaches(entry, id)),
  );
}

/** Nodes from which a run goes on for ever, told once, at the first of them. */
function endlessNodes(graph: TeamGraph): TeamProblem[] {
  const ends = graph.order.filter((id) => endingOutcomes(graph, id).length > 0);
  const endless = graph.order.filter(
    (id) => !ends.includes(id) && !ends.some((end) => graph.reaches(id, end)),
  );
  const [first] = endless;
  if (first === undefined) return [];
  const names = endless.map((id) => `"${id}"`).join(', ');
  return [
    nodeProblem(graph, 'no_end', first, `a run that has come to ${names} never ends`, {
      hint: 'give an edge an `on`, so that for some outcome no edge is taken: there the run ends',
    }),
  ];
}

function twoWriters(graph: TeamGraph, a: string, b: string): TeamProblem {
  const message =
    a === b
      ? `"${a}" writes and may run twice at the same time on the same tree`
      : `"${a}" and "${b}" both write and may run at the same time on the same tree`;
  const hint =
    a === b
      ? 'use `join: all`, or let one branch alone lead here'
      : 'mark one of them readOnly, or put an edge between them so that one follows the other';
  return nodeProblem(graph, 'concurrent_writers', b, message, { hint });
}

function vainJoins(
  graph: TeamGraph,
  met: ReadonlySet<string>,
  unreachable: readonly string[],
): TeamProblem[] {
  return graph.order
    .filter((id) => graph.nodes.get(id)?.join === 'all' && graph.incoming(id).length > 1)
    .filter((id) => !met.has(id) && !unreachable.includes(id))
    .map((id) => {
      const from = [...new Set(graph.incoming(id).map((e) => `"${e.from}"`))].join(', ');
      const message = `"${id}" waits for all of ${from}, which never run in parallel: the join can never be complete`;
      const problem = nodeProblem(graph, 'join_never_completes', id, message, {
        hint: 'leave `join` out, or let one node lead to all branches for the same outcome',
      });
      return { ...problem, path: [...problem.path, 'join'] };
    });
}

function nodeProblem(
  graph: TeamGraph,
  code: TeamProblemCode,
  id: string,
  message: string,
  more: { hint: string },
): TeamProblem {
  return { ...error(code, ['nodes', graph.order.indexOf(id)], message), ...more };
}

function error(code: TeamProblemCode, path: TeamProblem['path'], message: string): TeamProblem {
  return { code, severity: 'error', path, message };
}
