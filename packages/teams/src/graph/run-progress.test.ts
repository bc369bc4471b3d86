import { describe, expect, test } from 'vitest';
import type { Outcome } from '../hand-off.ts';
import { findTemplate } from '../templates/find-template.ts';
import { runProgress, type FinishedVisit } from './run-progress.ts';
import { buildGraph, type TeamGraph } from './team-graph.ts';

function template(name: string): TeamGraph {
  const team = findTemplate(name);
  if (team === undefined) throw new Error(`no template ${name}`);
  return buildGraph(team);
}
function step(node: string, outcome: Outcome, wrote = false, visit = 1): FinishedVisit {
  return { node, visit, outcome, wrote };
}

describe('the progress of a run', () => {
  const shield = template('release-shield');

  test('begins at the entry with the start tree', () => {
    expect(runProgress(shield, [])).toEqual({
      state: 'running',
      due: [{ node: 'developer', visit: 1, from: [], treeFrom: null }],
    });
  });

  test('forks, and joins when the last branch has arrived, with the hand-offs of all', () => {
    const developer = step('developer', 'done', true);
    const name = { node: 'developer', visit: 1 };
    expect(runProgress(shield, [developer])).toEqual({
      state: 'running',
      due: ['qa', 'security'].map((node) => ({ node, visit: 1, from: [name], treeFrom: name })),
    });
    expect(runProgress(shield, [developer, step('security', 'pass')])).toMatchObject({
      due: [{ node: 'qa' }],
    });
    expect(runProgress(shield, [developer, step('security', 'pass'), step('qa', 'fail')])).toEqual({
      state: 'running',
      due: [
        {
          node: 'release-gate',
          visit: 1,
          from: [
            { node: 'security', visit: 1 },
            { node: 'qa', visit: 1 },
          ],
          treeFrom: name,
        },
      ],
    });
  });

  test('ends where no edge fits the outcome, with the tree written last', () => {
    expect(runProgress(shield, [step('developer', 'blocked', true)])).toEqual({
      state: 'ended',
      last: [step('developer', 'blocked', true)],
      treeFrom: { node: 'developer', visit: 1 },
    });
  });

  const loop = template('dev-qa-loop');
  const round = (visit: number): FinishedVisit[] => [
    step('developer', 'done', true, visit),
    step('qa', 'fail', false, visit),
  ];

  test('comes back to a node until its visits are used up', () => {
    expect(runProgress(loop, [...round(1), ...round(2)])).toMatchObject({
      due: [{ node: 'developer', visit: 3, treeFrom: { node: 'developer', visit: 2 } }],
    });
    expect(runProgress(loop, [...round(1), ...round(2), ...round(3)])).toEqual({
      state: 'visit_limit',
      node: 'developer',
      visits: 3,
    });
  });

  test('does not wait for a branch that ended', () => {
    const graph = buildGraph({
      nodes: ['a', 'b', 'c', 'd'].map((id) => ({ id, maxVisits: 3 })),
      edges: [
        { from: 'a', to: 'b' },
        { from: 'a', to: 'c' },
        { from: 'b', to: 'd', on: 'pass' },
        { from: 'c', to: 'd' },
      ],
    });
    const steps = [step('a', 'done'), step('c', 'done')];
    expect(runProgress(graph, steps)).toMatchObject({ due: [{ node: 'b' }] });
    expect(runProgress(graph, [...steps, step('b', 'fail')])).toMatchObject({
      due: [{ node: 'd', from: [{ node: 'c' }] }],
    });
  });

  test('takes the tree of the branch that wrote, whichever arrives first', () => {
    const graph = buildGraph({
      nodes: ['a', 'b', 'c', 'd'].map((id) => ({ id, maxVisits: 3 })),
      edges: [
        { from: 'a', to: 'b' },
        { from: 'a', to: 'c' },
        { from: 'b', to: 'd' },
        { from: 'c', to: 'd' },
      ],
    });
    for (const order of [
      [step('b', 'done', true), step('c', 'done')],
      [step('c', 'done'), step('b', 'done', true)],
    ]) {
      expect(runProgress(graph, [step('a', 'done', true), ...order])).toMatchObject({
        due: [{ node: 'd', treeFrom: { node: 'b', visit: 1 } }],
      });
    }
  });

  test('of two joins that wait for one another the one listed first goes first', () => {
    const graph = buildGraph({
      nodes: ['a', 'b', 'c'].map((id) => ({ id, maxVisits: 3 })),
      edges: [
        { from: 'a', to: 'b' },
        { from: 'a', to: 'c' },
        { from: 'b', to: 'c', on: 'fail' },
        { from: 'c', to: 'b', on: 'fail' },
      ],
    });
    expect(runProgress(graph, [step('a', 'done')])).toMatchObject({ due: [{ node: 'b' }] });
    expect(runProgress(graph, [step('a', 'done'), step('b', 'fail')])).toMatchObject({
      due: [{ node: 'c', from: [{ node: 'a' }, { node: 'b' }] }],
    });
  });

  test('refuses steps that were never due', () => {
    expect(() => runProgress(loop, [step('qa', 'pass')])).toThrow('visit 1 of node qa was not due');
  });
});
