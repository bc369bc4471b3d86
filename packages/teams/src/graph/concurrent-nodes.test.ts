import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { OUTCOMES, type Outcome } from '../hand-off.ts';
import { findConcurrency } from './concurrent-nodes.ts';
import { runProgress, type FinishedVisit } from './run-progress.ts';
import { buildGraph, type GraphInput } from './team-graph.ts';

function graphOf(text: string, over: Record<string, { join: 'all' | 'any' }> = {}): GraphInput {
  const edges = text.split(/\s+/).map((edge) => {
    const [from = '', to = '', on] = edge.split(/[->:]+/);
    return { from, to, ...(on === undefined ? {} : { on: on as Outcome }) };
  });
  const ids = [...new Set(edges.flatMap((e) => [e.from, e.to]))];
  return { nodes: ids.map((id) => ({ id, maxVisits: 3, ...over[id] })), edges };
}
function pairsOf(text: string, over?: Record<string, { join: 'all' | 'any' }>): string[] {
  return findConcurrency(buildGraph(graphOf(text, over)))
    .pairs.map((p) => p.join('|'))
    .toSorted();
}

describe('nodes that may be at work at the same time', () => {
  test.each([
    ['one after another', 'a->b b->c', []],
    ['a loop', 'a->b b->a:fail b->c:pass', []],
    ['a fork', 'a->b a->c', ['b|c']],
    ['branches of several nodes', 'a->b b->c a->d', ['b|d', 'c|d']],
    ['exclusive outcomes', 'a->b:pass a->c:fail', []],
    ['an outcome beside all outcomes', 'a->b a->c:fail', ['b|c']],
    ['a join', 'a->b a->c b->d c->d d->e', ['b|c']],
    ['a node behind one branch only', 'a->b a->c b->d c->d b->e', ['b|c', 'c|e', 'd|e']],
    ['a loop beside a branch', 'a->b a->c b->d d->b:fail', ['b|c', 'c|d']],
    ['a fork within a fork', 'a->b a->c b->d b->e', ['b|c', 'c|d', 'c|e', 'd|e']],
    // The loop from b back to a starts both branches again while c of the first round may still run.
    [
      'a branch that goes back behind the fork',
      'a->b a->c b->a:fail b->d:pass c->d',
      ['a|c', 'b|c', 'c|c'],
    ],
    ['branches that join behind a node they go back to', 'a->b a->c b->a:fail c->a:fail', ['b|c']],
  ])('%s', (_, text, expected) => {
    expect(pairsOf(text)).toEqual(expected);
  });

  test('come from several entries, and meet at a join', () => {
    expect(pairsOf('a->c b->c c->d')).toEqual(['a|b']);
    expect(pairsOf('a->c b->c c->d', { c: { join: 'any' } })).toContain('c|c');
  });

  test('a node without a join may run twice at once behind a fork, and not with one', () => {
    expect(pairsOf('a->b a->c b->d c->d', { d: { join: 'any' } })).toEqual(
      ['b|c', 'b|d', 'c|d', 'd|d'].toSorted(),
    );
    expect(pairsOf('a->b a->c b->d c->d')).not.toContain('d|d');
  });
});

const ids = ['a', 'b', 'c', 'd', 'e', 'f'];
const teamGraph: fc.Arbitrary<GraphInput> = fc.integer({ min: 2, max: 6 }).chain((count) => {
  const some = fc.constantFrom(...ids.slice(0, count));
  return fc.record({
    nodes: fc.tuple(
      ...ids.slice(0, count).map((id) =>
        fc.record({
          id: fc.constant(id),
          maxVisits: fc.constant(3),
          join: fc.constantFrom('all' as const, 'all' as const, 'any' as const),
        }),
      ),
    ),
    edges: fc.array(
      fc.record({
        from: some,
        to: some,
        on: fc.option(fc.constantFrom<Outcome>('pass', 'fail'), { nil: undefined }),
      }),
      { minLength: 1, maxLength: 10 },
    ),
  });
});

/** Runs a team with outcomes and finishing order by chance, and tells which visits were due together. */
function* simulate(graph: ReturnType<typeof buildGraph>, chance: () => number) {
  const finished: FinishedVisit[] = [];
  for (;;) {
    const progress = runProgress(graph, finished);
    yield progress;
    if (progress.state !== 'running') return;
    const due = progress.due[chance() % progress.due.length];
    if (due === undefined) throw new Error('a running run has nothing due');
    const outcome = OUTCOMES[chance() % 2] ?? 'pass';
    finished.push({ node: due.node, visit: due.visit, outcome, wrote: chance() % 2 === 0 });
  }
}

test('no run has two nodes due together that were not foreseen, and every run ends', () => {
  let together = 0;
  fc.assert(
    fc.property(teamGraph, fc.infiniteStream(fc.nat({ max: 59 })), (team, stream) => {
      const graph = buildGraph(team);
      const { pairs } = findConcurrency(graph);
      const foreseen = new Set(pairs.flatMap(([a, b]) => [`${a}|${b}`, `${b}|${a}`]));
      const chance = (): number => Number(stream.next().value);
      let last: string | undefined;
      for (const progress of simulate(graph, chance)) {
        last = progress.state;
        if (progress.state !== 'running') continue;
        for (const [i, a] of progress.due.entries()) {
          for (const b of progress.due.slice(i + 1)) {
            together += 1;
            expect(foreseen).toContain(`${a.node}|${b.node}`);
          }
        }
      }
      expect(last).not.toBe('running');
    }),
    { numRuns: 400 },
  );
  expect(together).toBeGreaterThan(100);
});
