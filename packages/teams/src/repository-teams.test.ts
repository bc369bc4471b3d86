/** What a repository's team may choose: each refusal with its twin, one thing different, that passes. */
import { describe, expect, test } from 'vitest';
import { readTeamFile, type TeamFile } from './read-team-file.ts';
import { planStep } from './readonly/plan-step.ts';
import type { RepositoryLeave } from './repository-teams.ts';

const LEAVE: RepositoryLeave = {
  allow: true,
  clis: ['claude', 'own'],
  models: ['small'],
  autonomous: ['skip-permissions'],
  args: ['--verbose'],
};

function read(agent: string, leave: Partial<RepositoryLeave> = {}, name = 'pair'): TeamFile {
  const text = `v: 1
name: ${name}
nodes:
  - id: developer
    agent: { cli: claude }
    prompt: Work.
  - id: qa
    agent: ${agent}
    prompt: Look.
    readOnly: true
edges:
  - { from: developer, to: qa }
`;
  return readTeamFile(text, {
    customClis: LEAVE.clis,
    repository: { name: 'pair', leave: { ...LEAVE, ...leave } },
  });
}

describe("a repository's team", () => {
  test.each([
    ['{ cli: claude, model: small }'],
    ['{ cli: claude, args: [--verbose, --verbose] }'],
    ['{ cli: claude, autonomous: true }'],
    ['{ cli: claude, autonomous: skip-permissions }'],
    ['{ cli: claude, autonomous: false }'],
    ['{ cli: own }'],
    ['{ cli: claude, readOnly: true }'],
  ])('may choose what the operator names: %s', (agent) => {
    expect(read(agent)).toMatchObject({ ok: true, problems: [] });
  });

  test.each([
    ['{ cli: codex }', 'agent.cli "codex" is not allowed here', 'allowed here: claude, own', 19],
    ['{ cli: claude, model: large }', 'agent.model "large" is not allowed', 'small', 34],
    ['{ cli: claude, command: /bin/sh }', 'agent.command may not be given', 'leave it out', 36],
    [
      '{ cli: claude, args: [--verbose, --settings=x] }',
      'agent.args "--settings=x" is not allowed here',
      'allowed here: --verbose',
      27,
    ],
    [
      '{ cli: claude, autonomous: bypass }',
      'agent.autonomous "bypass" is not allowed here',
      'allowed here: skip-permissions',
      39,
    ],
    ['{ cli: own, autonomous: true }', 'agent.autonomous "true" is not', 'skip-permissions', 36],
  ])('may not choose anything else: %s', (agent, message, hint, column) => {
    const { ok, team, problems } = read(agent);
    expect([ok, team]).toEqual([false, undefined]);
    expect(problems.filter((p) => p.severity === 'error')).toEqual([
      expect.objectContaining({
        code: 'not_allowed',
        line: 8,
        column,
        message: expect.stringContaining(`node "qa": ${message}`),
        hint: expect.stringContaining(hint),
      }),
    ]);
  });

  test('has nothing to choose where the operator names nothing', () => {
    expect(read('{ cli: claude }', { models: [], autonomous: [], args: [] }).ok).toBe(true);
    for (const agent of ['{ cli: claude, model: small }', '{ cli: claude, args: [--verbose] }']) {
      const { ok, problems } = read(agent, { models: [], args: [] });
      expect(ok).toBe(false);
      expect(problems[0]?.hint).toBe('nothing is allowed here: leave it out');
    }
  });

  test('bears the name of its file', () => {
    expect(read('{ cli: claude }', {}, 'pairs').problems).toMatchObject([
      { code: 'bad_value', line: 2, column: 7, hint: expect.stringContaining('write "pair"') },
    ]);
  });

  test('holds no character that cannot be stored, however it is written', () => {
    for (const escape of ['\\0', '\\ud83d']) {
      const file = read(`{ cli: claude, model: small }\n    timeoutMinutes: 5`);
      expect(file.ok).toBe(true);
      const text = `v: 1\nname: pair\nnodes:\n  - { id: a, agent: { cli: claude }, prompt: "x${escape}" }\n`;
      const repository = { name: 'pair', leave: LEAVE };
      expect(readTeamFile(text, { repository })).toMatchObject({
        ok: false,
        problems: [{ line: 4, message: 'prompt: holds a NUL or half a character' }],
      });
      expect(readTeamFile(text.replace(escape, ''), { repository }).ok).toBe(true);
    }
  });

  test('lifts no restriction that stands: not of the task, not of the agent that the operator set up', () => {
    const { team } = read('{ cli: claude, readOnly: false }');
    const node = team?.nodes[0];
    if (team === undefined || node === undefined) throw new Error('no team');
    const plan = (taskReadOnly: boolean, readOnly: boolean) =>
      planStep({
        team,
        node,
        taskReadOnly,
        agent: { argv: ['/usr/bin/claude'], env: {}, readOnly },
        mounts: [],
      }).restriction;
    expect(plan(true, false)).toMatchObject({ by: ['task'] });
    expect(plan(false, true)).toMatchObject({ by: ['agent'] });
    expect(plan(false, false)).toBeNull();
  });
});
