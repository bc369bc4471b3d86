/**
 * Which nodes may be at work at the same time, over every run that a team allows. Two tokens are followed through the graph
 * in all ways that the semantics permit for these two alone; more tokens can only make a join wait longer, so what this
 * finds is never too little. That is what the ban on two writers rests on.
 */
import { OUTCOMES } from '../hand-off.ts';
import { joinYields, nextNodes, type TeamGraph } from './team-graph.ts';

export interface Concurrency {
  /** Pairs of ids, each in the order of the team; a pair of one node with itself is a node that may run twice at once. */
  pairs: readonly (readonly [string, string])[];
  /** The nodes at which two tokens can meet and join. */
  joins: ReadonlySet<string>;
}

/** A token is at work at a node (running, or about to), or waits there for others. */
interface Place {
  id: string;
  waits: boolean;
}
type PairState = readonly [Place, Place];

/** Follows every pair of tokens that a fork or several entries can make. */
export function findConcurrency(graph: TeamGraph): Concurrency {
  const seen = new Set<string>();
  const queue: PairState[] = [];
  const working = new Set<string>();
  const joins = new Set<string>();
  function visit(a: Place, b: Place): void {
    const key = [keyOf(a), keyOf(b)].toSorted().join('|');
    if (seen.has(key)) return;
    seen.add(key);
    queue.push([a, b]);
    if (!a.waits && !b.waits) working.add(pairKey(graph, a.id, b.id));
  }
  for (const [a, b] of forks(graph)) visit(arrive(graph, a), arrive(graph, b));
  for (let pair = queue.pop(); pair !== undefined; pair = queue.pop()) {
    for (const [token, other] of [pair, [pair[1], pair[0]] as const]) {
      step(graph, token, other, visit, joins);
    }
  }
  return { pairs: [...working].map((key) => key.split('|') as [string, string]), joins };
}

function step(
  graph: TeamGraph,
  token: Place,
  other: Place,
  visit: (a: Place, b: Place) => void,
  joins: Set<string>,
): void {
  if (token.waits) {
    if (other.waits && other.id === token.id) joins.add(token.id);
    else if (mayStart(graph, token.id, other)) visit({ id: token.id, waits: false }, other);
    return;
  }
  for (const { to } of graph.outgoing(token.id)) visit(arrive(graph, to), other);
}

/** A token that comes to a join waits first, if only for no time; whether it may start is asked from there. */
function arrive(graph: TeamGraph, id: string): Place {
  return { id, waits: graph.joins(id) };
}

/** Whether a token that waits at this join may start while the other is where it is. */
export function mayStart(graph: TeamGraph, join: string, other: Place): boolean {
  if (other.waits) return other.id === join || !joinYields(graph, join, other.id);
  return other.id !== join && !graph.reaches(other.id, join);
}

function* forks(graph: TeamGraph): Generator<[string, string]> {
  yield* pairsOf(graph.entries);
  for (const id of graph.order) {
    for (const outcome of OUTCOMES) {
      yield* pairsOf(nextNodes(graph, id, outcome));
    }
  }
}

function* pairsOf(ids: readonly string[]): Generator<[string, string]> {
  for (const [i, a] of ids.entries()) for (const b of ids.slice(i + 1)) yield [a, b];
}

function keyOf({ id, waits }: Place): string {
  return waits ? `${id}?` : id;
}

function pairKey(graph: TeamGraph, a: string, b: string): string {
  return graph.order.indexOf(a) <= graph.order.indexOf(b) ? `${a}|${b}` : `${b}|${a}`;
}
