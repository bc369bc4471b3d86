/** What operators hand in: every mistake in a file stops the start with a message that names the file and the place. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hashTeam } from '@sallyport/teams/team-hash';
import { afterAll, describe, expect, it } from 'vitest';
import { choosePolicy } from './policy-choice.ts';
import { chooseTeams } from './team-choice.ts';

const dir = mkdtempSync(join(tmpdir(), 'sallyport-choices-'));
afterAll(() => rmSync(dir, { recursive: true }));

const SHIPPED = ['dev-qa', 'dev-qa-loop', 'bug-hunt', 'release-shield', 'feature-squad'];

function file(content: unknown): string {
  const path = join(dir, 'file.json');
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
}

function team(name: string): unknown {
  return { v: 1, name, nodes: [{ id: 'one', agent: { cli: 'scripted' }, prompt: 'x' }] };
}

describe('chooseTeams', () => {
  it('has a team of one and those that ship when no file is given', () => {
    const teams = chooseTeams(undefined);
    expect(teams.defaultName).toBe('starter');
    expect(teams.names).toEqual(['starter', ...SHIPPED]);
    const found = teams.find('starter');
    expect(found === null ? null : hashTeam(found.team)).toBe(found?.hash);
    expect(teams.find('constructor')).toBeNull();
  });

  it('takes the teams of a file and no other, the first by default', () => {
    const teams = chooseTeams(file({ teams: [team('pair'), team('solo')] }));
    expect(teams.names).toEqual(['pair', 'solo']);
    expect(teams.defaultName).toBe('pair');
    expect(teams.find('starter')).toBeNull();
    expect(
      chooseTeams(file({ default: 'solo', teams: [team('pair'), team('solo')] })).defaultName,
    ).toBe('solo');
  });

  it('offers the shipped teams for the CLI that the operator has, beside his own', () => {
    const teams = chooseTeams(
      file({ default: 'dev-qa', teams: [team('pair')], templates: { cli: 'codex', model: 'm' } }),
    );
    expect(teams.names).toEqual(['pair', ...SHIPPED]);
    expect(teams.defaultName).toBe('dev-qa');
    const shield = teams.find('release-shield')?.team;
    expect(shield?.nodes.map((n) => [n.id, n.readOnly, n.agent.cli, n.agent.model])).toEqual([
      ['developer', false, 'codex', 'm'],
      ['qa', true, 'codex', 'm'],
      ['security', true, 'codex', 'm'],
      ['release-gate', false, 'codex', 'm'],
    ]);
    const one = chooseTeams(file({ templates: { only: ['bug-hunt'] } }));
    expect([one.names, one.defaultName]).toEqual([['bug-hunt'], 'bug-hunt']);
  });

  it.each([
    ['an unknown template', { templates: { only: ['none'] } }, /no template "none" .*dev-qa/],
    [
      'a template and a team of one name',
      { teams: [team('dev-qa')], templates: {} },
      /stands twice/,
    ],
    ['neither teams nor templates', { default: 'a' }, /must be/],
    ['no JSON', '{', /is no JSON/],
    ['something else', [], /must be/],
    ['no team', { teams: [] }, /must be/],
    ['an unknown key', { teams: [team('a')], team: 'a' }, /must be/],
    [
      'a team with a problem',
      { teams: [team('a'), { ...(team('b') as object), nodes: [] }] },
      /teams\.1: nodes/,
    ],
    ['a team twice', { teams: [team('a'), team('a')] }, /stands twice/],
    ['a default that is not there', { default: 'b', teams: [team('a')] }, /no team "b"/],
  ])('refuses a file with %s', (_what, content, message) => {
    expect(() => chooseTeams(file(content))).toThrow(
      expect.objectContaining({ code: 'bad_config' }),
    );
    expect(() => chooseTeams(file(content))).toThrow(message);
  });

  it('lets a repository bring no team unless the operator says so, and then only what he names', () => {
    const teams = [team('pair')];
    const closed = { allow: false, clis: [], models: [], autonomous: [], args: [] };
    expect(chooseTeams(undefined).repository).toEqual(closed);
    expect(chooseTeams(file({ teams })).repository).toEqual(closed);
    expect(
      chooseTeams(file({ teams, repositoryTeams: { allow: true, clis: ['claude'] } })).repository,
    ).toEqual({ ...closed, allow: true, clis: ['claude'] });
  });

  it.each([
    ['allows no CLI', { allow: true }],
    ['does not say whether', { clis: ['claude'] }],
    ['has an unknown key', { allow: true, clis: ['claude'], commands: ['sh'] }],
    ['says yes in other words', { allow: 'yes', clis: ['claude'] }],
  ])('refuses a file whose word about repositories %s', (_what, repositoryTeams) => {
    const path = file({ teams: [team('pair')], repositoryTeams });
    expect(() => chooseTeams(path)).toThrow(/repositoryTeams must be \{"allow": true, "clis"/);
  });

  it('refuses a file that is not there', () => {
    expect(() => chooseTeams(join(dir, 'none'))).toThrow(/TEAMS_FILE: cannot read .*ENOENT/);
  });
});

describe('choosePolicy', () => {
  it('has a policy of its own, and one hash for equal values', () => {
    expect(choosePolicy(file({})).hash).toBe(choosePolicy(undefined).hash);
    expect(choosePolicy(file({ allowUnicodeNames: true })).hash).not.toBe(
      choosePolicy(undefined).hash,
    );
  });

  it.each([[{ unknown: 1 }], [{ limits: { files: 0 } }], [[]]])('refuses %j', (content) => {
    expect(() => choosePolicy(file(content))).toThrow(
      expect.objectContaining({ code: 'bad_config' }),
    );
    expect(() => choosePolicy(file(content))).toThrow(/POLICY_FILE/);
  });
});
