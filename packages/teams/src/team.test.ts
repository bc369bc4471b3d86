import { describe, expect, test } from 'vitest';
import { hashTeam } from './team-hash.ts';
import { parseTeam, type Team } from './team.ts';

const node = { id: 'developer', agent: { cli: 'claude-code' }, prompt: 'You write code.' };
const good = { v: 1, name: 'solo', nodes: [node], edges: [] };

function parsed(value: unknown): Team {
  const result = parseTeam(value);
  if (!result.ok) throw new Error(result.problems.join('; '));
  return result.team;
}

describe('a team', () => {
  test('of one node gets the defaults of what it leaves out', () => {
    expect(parsed(good).nodes[0]).toMatchObject({
      readOnly: false,
      timeoutMinutes: 30,
      attempts: 1,
    });
  });

  test('may have edges between its nodes, and none to elsewhere', () => {
    const two = { ...good, nodes: [node, { ...node, id: 'qa', readOnly: true }] };
    expect(
      parseTeam({ ...two, edges: [{ from: 'developer', to: 'qa', on: 'done' }] }),
    ).toMatchObject({ ok: true });
    expect(parseTeam({ ...two, edges: [{ from: 'developer', to: 'q', on: 'done' }] })).toEqual({
      ok: false,
      problems: ['edges.0.to: there is no node "q"'],
    });
  });

  test('with a repeated node, an unknown field or no node is refused by name', () => {
    expect(parseTeam({ ...good, nodes: [node, node] })).toMatchObject({
      problems: ['nodes.1.id: "developer" stands twice'],
    });
    expect(parseTeam({ ...good, nodes: [{ ...node, readonly: true }] })).toMatchObject({
      ok: false,
    });
    expect(parseTeam({ ...good, nodes: [] })).toMatchObject({ ok: false });
  });
});

describe('the hash of a team', () => {
  test('does not change with the order of fields or with a default written out', () => {
    const reordered = { edges: [], nodes: [{ ...node, attempts: 1 }], name: 'solo', v: 1 };
    expect(hashTeam(parsed(reordered))).toBe(hashTeam(parsed(good)));
  });

  test('changes with every difference in meaning', () => {
    const readOnly = { ...good, nodes: [{ ...node, readOnly: true }] };
    const args = { ...good, nodes: [{ ...node, agent: { cli: 'claude-code', args: ['-x'] } }] };
    expect(new Set([good, readOnly, args].map((t) => hashTeam(parsed(t)))).size).toBe(3);
  });
});
