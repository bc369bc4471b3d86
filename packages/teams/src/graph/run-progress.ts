/**
 * Where a run stands in its team, from the steps that have finished and nothing else: whoever takes a run over comes to the
 * same answer as the one who left it. It says which visits are due and in which hand-offs and tree they begin.
 */
import type { Outcome } from '../hand-off.ts';
import { mayStart } from './concurrent-nodes.ts';
import { nextNodes, type TeamGraph } from './team-graph.ts';

/** A finished step of a node: one per visit, in the order in which they finished. */
export interface FinishedVisit {
  node: string;
  /** 1 for the first visit of the node. */
  visit: number;
  outcome: Outcome;
  /** Whether the step's own tree is what the run goes on with: true for a writing step. */
  wrote: boolean;
}

/** A visit by node and number; its finished step is what a `from` or a `treeFrom` points at. */
export interface VisitName {
  node: string;
  visit: number;
}

export interface DueVisit extends VisitName {
  /** The finished visits whose hand-offs this one receives, in the order in which they finished; empty at an entry. */
  from: readonly VisitName[];
  /** The visit whose tree this one gets; null: the tree that the run started with. */
  treeFrom: VisitName | null;
}

export type RunProgress =
  | { state: 'running'; due: readonly DueVisit[] }
  | { state: 'ended'; last: readonly FinishedVisit[]; treeFrom: VisitName | null }
  | { state: 'visit_limit'; node: string; visits: number };

interface Token {
  at: string;
  from: readonly VisitName[];
  treeFrom: VisitName | null;
  /** How many trees were written before this one: the later of two trees on joining branches is the one written since. */
  treeAge: number;
}
interface OpenVisit extends Token {
  visit: number;
}

/**
 * Replays the finished visits.
 * @throws Error when a visit is reported that was not due: the rows are then not of this team.
 */
export function runProgress(graph: TeamGraph, finished: readonly FinishedVisit[]): RunProgress {
  const visits = new Map<string, number>();
  let open: OpenVisit[] = [];
  let waiting: Token[] = [];
  let writes = 0;
  const ends: { step: FinishedVisit; token: Token }[] = [];

  function arrive(token: Token): void {
    if (graph.joins(token.at)) waiting.push(token);
    else begin([token]);
  }
  function begin(tokens: readonly Token[]): void {
    const [first] = tokens;
    if (first === undefined) return;
    const newest = tokens.reduce((a, b) => (b.treeAge > a.treeAge ? b : a), first);
    const visit = (visits.get(first.at) ?? 0) + 1;
    visits.set(first.at, visit);
    open.push({ ...newest, from: tokens.flatMap((t) => t.from), visit });
  }
  function startJoins(): void {
    for (;;) {
      const places = [
        ...open.map(({ at }) => ({ id: at, waits: false })),
        ...waiting.map(({ at }) => ({ id: at, waits: true })),
      ];
      const ready = graph.order.find(
        (id) =>
          waiting.some((t) => t.at === id) && places.every((place) => mayStart(graph, id, place)),
      );
      if (ready === undefined) return;
      const here = waiting.filter((t) => t.at === ready);
      waiting = waiting.filter((t) => t.at !== ready);
      begin(here);
    }
  }

  for (const at of graph.entries) arrive({ at, from: [], treeFrom: null, treeAge: 0 });
  startJoins();
  for (const step of finished) {
    const done = open.find((v) => v.at === step.node && v.visit === step.visit);
    if (done === undefined) throw new Error(`visit ${step.visit} of node ${step.node} was not due`);
    open = open.filter((v) => v !== done);
    const name = { node: step.node, visit: step.visit };
    if (step.wrote) writes += 1;
    const tree = step.wrote
      ? { treeFrom: name, treeAge: writes }
      : { treeFrom: done.treeFrom, treeAge: done.treeAge };
    const next = nextNodes(graph, step.node, step.outcome);
    for (const at of next) arrive({ at, from: [name], ...tree });
    if (next.length === 0) ends.push({ step, token: { at: step.node, from: [], ...tree } });
    startJoins();
  }

  const beyond = open.find((v) => v.visit > (graph.nodes.get(v.at)?.maxVisits ?? 0));
  if (beyond !== undefined) {
    return { state: 'visit_limit', node: beyond.at, visits: beyond.visit - 1 };
  }
  if (open.length > 0) {
    const due = open.map(({ at, visit, from, treeFrom }) => ({ node: at, visit, from, treeFrom }));
    return { state: 'running', due };
  }
  const newest = ends.reduce<Token | undefined>(
    (best, { token }) => (best === undefined || token.treeAge > best.treeAge ? token : best),
    undefined,
  );
  return { state: 'ended', last: ends.map((e) => e.step), treeFrom: newest?.treeFrom ?? null };
}
