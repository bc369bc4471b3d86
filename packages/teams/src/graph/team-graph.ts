/**
 * A team as a graph, and how a run moves through it. These are the semantics; the validator and the launcher both stand
 * on them, so that what was found safe is what is done.
 *
 * - A run begins with one token at each entry: the nodes in `entry`, else those to which no edge leads, else (a team that
 *   is one circle) the first node of the list.
 * - When a step ends with an outcome, every edge of its node whose `on` is that outcome or absent is taken, each by a token
 *   of its own, one for each node that they lead to. Several at once are a fork: the branches run in parallel. No edge
 *   taken: the branch ends. The run ends when no token is left.
 * - A node joins when it says `join: all`, or says nothing and edges from two or more nodes lead to it. A token that comes
 *   to a join waits until no other token can still come there without passing it first; then all that wait there start one
 *   visit together. So a join never waits for a branch that ended or went elsewhere, and where branches exclude one another
 *   it starts at once. Of joins that wait for one another the one listed first goes first.
 * - A token that comes to any other node starts a visit of its own; so does every token at a node that says `join: any`.
 * - Each token carries a tree. A writing step replaces its token's tree, a read-only step passes it on. Where tokens join,
 *   at most one of them can have been written to since they parted, because writers on parallel branches are refused; the
 *   visit gets that tree.
 * - A node may be visited `maxVisits` times. A token that comes once more ends the run with `visit_limit`.
 */
import { OUTCOMES, type Outcome } from '../hand-off.ts';

export interface GraphNode {
  id: string;
  join?: 'all' | 'any' | undefined;
  maxVisits: number;
}
export interface GraphEdge {
  from: string;
  to: string;
  on?: Outcome | undefined;
}
/** What of a team its graph needs; a parsed team is one. */
export interface GraphInput {
  entry?: readonly string[] | undefined;
  nodes: readonly GraphNode[];
  edges: readonly GraphEdge[];
}

export interface TeamGraph {
  nodes: ReadonlyMap<string, GraphNode>;
  /** Ids in the order of the team file. */
  order: readonly string[];
  entries: readonly string[];
  outgoing(id: string): readonly GraphEdge[];
  incoming(id: string): readonly GraphEdge[];
  /** Whether tokens wait for one another at this node. */
  joins(id: string): boolean;
  /** Whether a path of at least one edge leads from one to the other. */
  reaches(from: string, to: string): boolean;
}

/** Builds the graph. Edges to or from unknown nodes are left out, and the first of two nodes with one id counts. */
export function buildGraph(team: GraphInput): TeamGraph {
  const nodes = new Map<string, GraphNode>();
  for (const node of team.nodes) if (!nodes.has(node.id)) nodes.set(node.id, node);
  const order = [...nodes.keys()];
  const edges = team.edges.filter((edge) => nodes.has(edge.from) && nodes.has(edge.to));
  const outgoing = new Map(order.map((id) => [id, edges.filter((e) => e.from === id)]));
  const incoming = new Map(order.map((id) => [id, edges.filter((e) => e.to === id)]));
  const reachable = new Map(order.map((id) => [id, reachableFrom(id, outgoing)]));
  return {
    nodes,
    order,
    entries: entriesOf(team, order, incoming),
    outgoing: (id) => outgoing.get(id) ?? [],
    incoming: (id) => incoming.get(id) ?? [],
    joins: (id) => {
      const sources = new Set(incoming.get(id)?.map((edge) => edge.from));
      return (nodes.get(id)?.join ?? (sources.size > 1 ? 'all' : 'any')) === 'all';
    },
    reaches: (from, to) => reachable.get(from)?.has(to) === true,
  };
}

function entriesOf(
  team: GraphInput,
  order: readonly string[],
  incoming: ReadonlyMap<string, readonly GraphEdge[]>,
): string[] {
  if (team.entry !== undefined) {
    return [...new Set(team.entry)].filter((id) => incoming.has(id));
  }
  const open = order.filter((id) => incoming.get(id)?.length === 0);
  return open.length > 0 ? open : order.slice(0, 1);
}

function reachableFrom(
  start: string,
  outgoing: ReadonlyMap<string, readonly GraphEdge[]>,
): ReadonlySet<string> {
  const seen = new Set<string>();
  const queue = [start];
  for (let id = queue.pop(); id !== undefined; id = queue.pop()) {
    for (const { to } of outgoing.get(id) ?? []) {
      if (seen.has(to)) continue;
      seen.add(to);
      queue.push(to);
    }
  }
  return seen;
}

/** The nodes that tokens go to when a step of this node ends with this outcome, each once. */
export function nextNodes(graph: TeamGraph, id: string, outcome: Outcome): string[] {
  const taken = graph.outgoing(id).filter((edge) => (edge.on ?? outcome) === outcome);
  return [...new Set(taken.map((edge) => edge.to))];
}

/** The outcomes after which a branch ends at this node. */
export function endingOutcomes(graph: TeamGraph, id: string): Outcome[] {
  return OUTCOMES.filter((outcome) => nextNodes(graph, id, outcome).length === 0);
}

/**
 * Whether tokens that wait at the join `here` must let those at the join `there` go first: they could still come here, and
 * either not the other way round or `there` stands earlier in the team. An order, so some join can always go.
 */
export function joinYields(graph: TeamGraph, here: string, there: string): boolean {
  if (!graph.reaches(there, here)) return false;
  return !graph.reaches(here, there) || graph.order.indexOf(there) < graph.order.indexOf(here);
}
