import { TeamShapeSchema, type Team } from '@sallyport/teams/team';
import { TEMPLATES } from '@sallyport/teams/templates/find-template';
import { describe, expect, it } from 'vitest';
import { checkDraft } from './check-draft.ts';
import { draftOf, EMPTY_NODE, EMPTY_TEAM, teamValue, type NodeDraft } from './team-draft.ts';

/** A team in which nothing is as it would be by default. */
const FULL: Team = TeamShapeSchema.parse({
  v: 1,
  name: 'full',
  description: 'Two\nlines.',
  readOnly: true,
  readOnlyLevel: 'noShell',
  entry: ['a', 'b'],
  nodes: [
    {
      id: 'a',
      agent: {
        cli: 'claude',
        command: '/opt/claude',
        args: ['--add-dir', '/srv/x y'],
        model: 'opus',
        autonomous: 'bypass',
        readOnly: true,
      },
      prompt: '\n  Look.\n',
      readOnly: true,
      readOnlyLevel: 'noShell',
      onWriteAttempt: 'rerun',
      maxVisits: 7,
      timeoutMinutes: 60,
      attempts: 2,
    },
    { id: 'b', agent: { cli: 'my-agent', autonomous: false }, prompt: 'x', join: 'any' },
  ],
  edges: [{ from: 'a', to: 'b', on: 'pass' }],
});

describe('a team that is opened and written again', () => {
  it.each([...TEMPLATES, FULL].map((team) => [team.name, team] as const))(
    'is the same: %s',
    (_name, team) => {
      expect(TeamShapeSchema.parse(teamValue(draftOf(team)))).toEqual(team);
    },
  );

  it.each([[['a', '']], [[' a']], [['two\nlines']], [['[', 'x']], [['["a"]']], [['--flag', '[x']]])(
    'keeps the arguments %j',
    (args) => {
      const [node] = FULL.nodes;
      const team = { ...FULL, nodes: [{ ...node, agent: { cli: 'claude', args } }] } as Team;
      expect(teamValue(draftOf(team))).toMatchObject({ nodes: [{ agent: { args } }] });
    },
  );
});

describe('checkDraft', () => {
  function codes(more: Partial<NodeDraft>, ownClis: string[] = []): unknown[] {
    const node = { ...EMPTY_NODE, id: 'a', prompt: 'x', ...more };
    const { problems } = checkDraft({ ...EMPTY_TEAM, name: 't', nodes: [node] }, ownClis);
    return problems.map(({ code, severity, path }) => [code, severity, path.join('.')]);
  }

  it('finds nothing in a team of one', () => {
    expect(codes({})).toEqual([]);
  });

  it.each<[string, Partial<NodeDraft>, string, string]>([
    ['a name with capitals', { id: 'A' }, 'bad_value', 'nodes.0.id'],
    ['no name', { id: '' }, 'bad_value', 'nodes.0.id'],
    ['no CLI', { cli: '' }, 'bad_value', 'nodes.0.agent.cli'],
    ['words for a number', { maxVisits: 'many' }, 'bad_value', 'nodes.0.maxVisits'],
    ['too many visits', { maxVisits: '21' }, 'bad_value', 'nodes.0.maxVisits'],
    ['a level that there is not', { readOnlyLevel: 'none' }, 'bad_value', 'nodes.0.readOnlyLevel'],
    ['a foreign mode', { autonomous: 'yolo' }, 'unknown_mode', 'nodes.0.agent.autonomous'],
    ['a list of no texts', { args: '[1]' }, 'bad_value', 'nodes.0.agent.args.0'],
    [
      'arguments that the rule does not reach',
      { cli: 'codex', args: 'exec\nresume', readOnly: true },
      'bad_value',
      'nodes.0.agent.args',
    ],
  ])('refuses %s at its field', (_what, more, code, path) => {
    expect(codes(more)).toContainEqual([code, 'error', path]);
  });

  it('starts what may write with arguments that it would refuse to a reader', () => {
    expect(codes({ cli: 'codex', args: 'exec\nresume' })).toEqual([]);
  });

  it('warns of a CLI that nobody named before, and not of the operator’s own', () => {
    expect(codes({ cli: 'mine' })).toEqual([['unknown_cli', 'warning', 'nodes.0.agent.cli']]);
    expect(codes({ cli: 'mine' }, ['mine'])).toEqual([]);
  });

  it('refuses a file that would be too large to be read, and takes one just below', () => {
    const nodes = Array.from({ length: 10 }, (_, i) => ({
      ...EMPTY_NODE,
      id: `n${i}`,
      readOnly: true,
      prompt: 'x'.repeat(60_000),
    }));
    const draft = { ...EMPTY_TEAM, name: 't', entry: nodes.map((n) => n.id).join(' '), nodes };
    expect(checkDraft(draft, []).problems.map(({ code }) => code)).toEqual(['too_large']);
    const fewer = { ...draft, nodes: nodes.slice(0, 8), entry: 'n0 n1 n2 n3 n4 n5 n6 n7' };
    expect(checkDraft(fewer, []).problems).toEqual([]);
  });
});
