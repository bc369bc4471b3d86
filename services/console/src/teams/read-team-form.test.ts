import { describe, expect, it } from 'vitest';
import { visibleText } from '../visible-text.ts';
import { applyAct, MAX_NODES, readTeamForm } from './read-team-form.ts';
import { EMPTY_NODE, EMPTY_TEAM } from './team-draft.ts';

const ACT = { act: 'check' };

describe('readTeamForm', () => {
  it('puts rows in the order of their numbers and reads a box that is not ticked as no', () => {
    const { draft } = readTeamForm({
      ...ACT,
      'nodes.10.id': 'b',
      'nodes.2.id': ' a ',
      'nodes.2.readOnly': '1',
      'edges.0.from': 'a',
    });
    expect(draft.nodes.map((node) => [node.id, node.readOnly])).toEqual([
      ['a', true],
      ['b', false],
    ]);
    expect(draft.edges).toEqual([{ from: 'a', to: '', on: '' }]);
  });

  it('takes the name beside the list only when the list says so', () => {
    const cli = (fields: Record<string, string>): unknown =>
      readTeamForm({ ...ACT, ...fields }).draft.nodes[0]?.cli;
    expect(cli({ 'nodes.0.agent.cli': '', 'nodes.0.agent.cli.other': 'mine' })).toBe('mine');
    expect(cli({ 'nodes.0.agent.cli': 'codex', 'nodes.0.agent.cli.other': 'mine' })).toBe('codex');
  });

  it('reads a line end of a browser as one, and what was shown by its number as what it was', () => {
    const sent = { ...ACT, 'nodes.0.prompt': visibleText('a\u202eb').concat('\r\nc⟨U+0041⟩') };
    expect(readTeamForm(sent).draft.nodes[0]?.prompt).toBe('a\u202eb\nc⟨U+0041⟩');
  });

  it.each([
    ['an unknown field', { 'nodes.0.colour': 'red' }],
    ['a field of no team', { __proto__x: '1' }],
    ['a number too high', { [`nodes.${MAX_NODES}.id`]: 'a' }],
    ['a number that is none', { 'nodes.x.id': 'a' }],
    ['a number with a zero in front', { 'nodes.01.id': 'a' }],
    ['a button that there is not', { act: 'save' }],
    ['no button', { act: '' }],
    ['a value that is no text', { name: ['a'] }],
  ])('refuses %s', (_what, fields) => {
    expect(() => readTeamForm({ ...ACT, ...fields })).toThrow(
      expect.objectContaining({ code: 'bad_input' }),
    );
  });

  it('takes the highest number that there may be', () => {
    expect(readTeamForm({ ...ACT, [`nodes.${MAX_NODES - 1}.id`]: 'a' }).draft.nodes).toHaveLength(
      1,
    );
  });
});

describe('applyAct', () => {
  const two = {
    ...EMPTY_TEAM,
    nodes: ['a', 'b'].map((id) => ({ ...EMPTY_NODE, id })),
    edges: [{ from: 'a', to: 'b', on: '' }],
  };

  it('adds and removes the row that is meant, and nothing else', () => {
    expect(applyAct(two, 'add_node', EMPTY_NODE).nodes.map((n) => n.id)).toEqual(['a', 'b', '']);
    expect(applyAct(two, { remove: 'node', index: 0 }, EMPTY_NODE)).toEqual({
      ...two,
      nodes: two.nodes.slice(1),
    });
    expect(applyAct(two, { remove: 'edge', index: 0 }, EMPTY_NODE).edges).toEqual([]);
    expect(applyAct(two, { remove: 'edge', index: 5 }, EMPTY_NODE)).toEqual(two);
  });

  it('begins a new edge where the last one ended', () => {
    expect(applyAct(two, 'add_edge', EMPTY_NODE).edges[1]).toEqual({ from: 'b', to: '', on: '' });
  });

  it('adds no more rows than can be sent back', () => {
    const full = { ...two, nodes: Array.from({ length: MAX_NODES }, () => EMPTY_NODE) };
    expect(applyAct(full, 'add_node', EMPTY_NODE).nodes).toHaveLength(MAX_NODES);
  });
});
