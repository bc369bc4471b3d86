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

function file(content: unknown): string {
  const path = join(dir, 'file.json');
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
}

function team(name: string): unknown {
  return { v: 1, name, nodes: [{ id: 'one', agent: { cli: 'scripted' }, prompt: 'x' }] };
}

describe('chooseTeams', () => {
  it('has one team of its own when no file is given', () => {
    const teams = chooseTeams(undefined);
    expect(teams.defaultName).toBe('starter');
    expect(teams.names).toEqual(['starter']);
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

  it.each([
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
