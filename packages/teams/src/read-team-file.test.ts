import { describe, expect, test } from 'vitest';
import { readTeamFile } from './read-team-file.ts';

const GOOD = `v: 1
name: two
nodes:
  - id: developer
    agent: { cli: claude }
    prompt: You write code.
  - id: qa
    agent: { cli: claude }
    prompt: You check.
    readOnly: true
edges:
  - { from: developer, to: qa, on: done }
  - { from: qa, to: developer, on: fail }
`;

/** A planted defect: what is replaced in the good file, by what, and the one problem that must follow. */
type Plant = [what: string, from: string, to: string, problem: Record<string, unknown>];

const PLANTS: Plant[] = [
  [
    'an unknown key',
    '    readOnly: true',
    '    readonly: true',
    {
      line: 10,
      column: 5,
      code: 'unknown_key',
      message: '"readonly" is not known here',
      hint: 'did you mean "readOnly"?',
    },
  ],
  [
    'an unknown key of the team',
    'name: two',
    'name: two\nnode: []',
    { line: 3, column: 1, code: 'unknown_key', hint: 'did you mean "nodes"?' },
  ],
  [
    'an edge to nowhere',
    'to: qa',
    'to: qaa',
    {
      line: 12,
      column: 28,
      code: 'edge_to_nowhere',
      message: 'there is no node "qaa"',
      hint: 'did you mean "qa"?',
    },
  ],
  [
    'a loop without a limit',
    '    readOnly: true',
    '    readOnly: true\n    maxVisits: 0',
    {
      line: 11,
      column: 16,
      code: 'cycle_without_limit',
      message: 'a loop comes back to "qa" without a limit',
    },
  ],
  [
    'a loop that says unlimited',
    '    readOnly: true',
    '    readOnly: true\n    maxVisits: unlimited',
    { line: 11, column: 16, code: 'cycle_without_limit' },
  ],
  [
    'two nodes of one name',
    'edges:',
    '  - id: qa\n    agent: { cli: claude }\n    prompt: x\nedges:',
    { line: 11, column: 9, code: 'duplicate_id', message: '"qa" stands twice' },
  ],
  [
    'a node that nothing leads to',
    'edges:',
    '  - id: lost\n    agent: { cli: claude }\n    prompt: x\nentry: [developer]\nedges:',
    { line: 11, column: 5, code: 'unreachable_node' },
  ],
  [
    'a run that never ends',
    'to: qa, on: done }\n  - { from: qa, to: developer, on: fail }',
    'to: qa }\n  - { from: qa, to: developer }',
    {
      line: 4,
      column: 5,
      code: 'no_end',
      message: 'a run that has come to "developer", "qa" never ends',
    },
  ],
  [
    'a mistyped key that must be there',
    '    prompt: You check.',
    '    promt: You check.',
    { line: 9, column: 5, code: 'unknown_key', hint: 'did you mean "prompt"?' },
  ],
  [
    'a missing prompt',
    '    prompt: You check.\n',
    '',
    { line: 7, column: 5, code: 'missing_key', message: '"prompt" is missing' },
  ],
  [
    'a wrong word',
    'readOnly: true',
    'readOnly: yes',
    { line: 10, column: 15, code: 'bad_value', hint: 'write true or false' },
  ],
  [
    'an entry to nowhere',
    'nodes:',
    'entry: [developers]\nnodes:',
    { line: 3, column: 9, code: 'no_entry', hint: 'did you mean "developer"?' },
  ],
  [
    'a mode that the CLI does not have',
    'agent: { cli: claude }\n    prompt: You check.',
    'agent: { cli: claude, autonomous: yolo }\n    prompt: You check.',
    { line: 8, column: 39, code: 'unknown_mode' },
  ],
];

describe('a team file', () => {
  test('that is right gives its team and no problem', () => {
    expect(readTeamFile(GOOD)).toMatchObject({ ok: true, problems: [], team: { name: 'two' } });
  });

  test.each(PLANTS)('with %s gives that one problem at its place', (_, from, to, problem) => {
    const text = GOOD.replace(from, to);
    expect(text).not.toBe(GOOD);
    const read = readTeamFile(text);
    expect(read).toMatchObject({ ok: false, problems: [{ severity: 'error', ...problem }] });
    expect(read.problems).toHaveLength(1);
    expect(read.team).toBeUndefined();
  });

  test('warns of an unknown agent CLI, unless the operator has it', () => {
    const text = GOOD.replace('cli: claude', 'cli: claud');
    expect(readTeamFile(text)).toMatchObject({
      ok: true,
      problems: [
        {
          line: 5,
          column: 19,
          code: 'unknown_cli',
          severity: 'warning',
          hint: 'did you mean "claude"?',
        },
      ],
    });
    expect(readTeamFile(text, { customClis: ['claud'] }).problems).toEqual([]);
  });

  test('tells every problem at once, in the order of the file', () => {
    const text = GOOD.replace('readOnly: true', 'readonly: true').replace('on: fail', 'on: failed');
    expect(readTeamFile(text).problems.map((p) => [p.line, p.code])).toEqual([
      [10, 'unknown_key'],
      [13, 'bad_value'],
    ]);
  });

  test.each([
    ['broken YAML', 'v: 1\nnodes: [', { line: 2, code: 'not_yaml' }],
    ['a key that stands twice', `${GOOD}name: other\n`, { line: 14, column: 1, code: 'not_yaml' }],
    ['two documents', `${GOOD}---\n${GOOD}`, { code: 'not_yaml' }],
    ['a list', '[]', { line: 1, column: 1, code: 'bad_value' }],
    ['nothing', '', { line: 1, column: 1 }],
    ['too much', `# ${'x'.repeat(600_000)}`, { code: 'too_large' }],
  ])('that is %s is refused', (_, text, problem) => {
    expect(readTeamFile(text)).toMatchObject({ ok: false, problems: [problem] });
  });

  test('with aliases that multiply is refused before they do', () => {
    const levels = Array.from(
      { length: 12 },
      (_, i) => `a${i + 1}: &a${i + 1} [${`*a${i},`.repeat(9)}]`,
    );
    const read = readTeamFile(`a0: &a0 [x]\n${levels.join('\n')}\n`);
    expect(read).toMatchObject({ ok: false, problems: [{ code: 'not_yaml' }] });
  });
});

const FORK = `v: 1
name: fork
nodes:
  - { id: planner, agent: { cli: claude }, prompt: x }
  - { id: left, agent: { cli: claude }, prompt: x }
  - { id: right, agent: { cli: claude }, prompt: x, readOnly: true }
  - { id: gate, agent: { cli: claude }, prompt: x }
edges:
  - { from: planner, to: left }
  - { from: planner, to: right }
  - { from: left, to: gate }
  - { from: right, to: gate }
`;

describe('parallel branches', () => {
  test('of which one writes are a team', () => {
    expect(readTeamFile(FORK)).toMatchObject({ ok: true, problems: [] });
  });

  test('of which two write are refused, and the two are named', () => {
    expect(readTeamFile(FORK.replace(', readOnly: true', '')).problems).toEqual([
      {
        line: 6,
        column: 5,
        code: 'concurrent_writers',
        severity: 'error',
        message: '"left" and "right" both write and may run at the same time on the same tree',
        hint: 'mark one of them readOnly, or put an edge between them so that one follows the other',
      },
    ]);
  });

  test.each([
    ['the team is read-only', 'name: fork', 'name: fork\nreadOnly: true'],
    [
      'its agent is read-only',
      'id: left, agent: { cli: claude }',
      'id: left, agent: { cli: claude, readOnly: true }',
    ],
    [
      'they follow for different outcomes',
      'to: left }\n  - { from: planner, to: right }',
      'to: left, on: pass }\n  - { from: planner, to: right, on: fail }',
    ],
  ])('that both write pass when %s', (_, from, to) => {
    const both = FORK.replace(', readOnly: true }', ' }');
    expect(readTeamFile(both).ok).toBe(false);
    expect(readTeamFile(both.replace(from, to))).toMatchObject({ ok: true, problems: [] });
  });

  test('that meet without a join would run a writer twice at once', () => {
    const any = FORK.replace('{ id: gate,', '{ id: gate, join: any,');
    expect(readTeamFile(any).problems.map((p) => p.message)).toContain(
      '"gate" writes and may run twice at the same time on the same tree',
    );
    expect(readTeamFile(FORK.replace('{ id: gate,', '{ id: gate, join: all,')).ok).toBe(true);
  });

  test('that are never parallel cannot complete a join', () => {
    const join = FORK.replace('{ id: gate,', '{ id: gate, join: all,')
      .replace('to: left }', 'to: left, on: pass }')
      .replace('to: right }', 'to: right, on: fail }');
    expect(readTeamFile(join)).toMatchObject({
      ok: false,
      problems: [{ line: 7, column: 23, code: 'join_never_completes' }],
    });
    expect(readTeamFile(join.replace(' join: all,', ''))).toMatchObject({ ok: true, problems: [] });
  });
});
