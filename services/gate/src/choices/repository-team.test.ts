/** What comes of a repository's answer about a team: the team, or words that its author can mend the file by. */
import { hashTeam } from '@sallyport/teams/team-hash';
import { describe, expect, it } from 'vitest';
import { readRepositoryTeam, teamFileName, type RepositoryTeam } from './repository-team.ts';

const SHA = 'a1b2c3d4e5f6'.padEnd(40, '0');
const PLACE = '.sallyport/teams/pair.yaml at a1b2c3d4e5f6';
const LEAVE = { allow: true, clis: ['scripted'], models: [], autonomous: [], args: [] };
const FILE = `v: 1
name: pair
nodes:
  - id: dev
    agent: { cli: scripted }
    prompt: Work.
`;

function read(text: string | null, more: object = {}): RepositoryTeam {
  const answer = { text, problem: null, names: [], ...more };
  return readRepositoryTeam({ name: 'pair', sha: SHA, answer, leave: LEAVE });
}

describe('the team of a repository', () => {
  it('is found under its hash, with the place that it was read from', () => {
    const found = read(FILE);
    if (found.kind !== 'found') throw new Error(found.kind);
    expect(found).toMatchObject({ place: PLACE, team: { name: 'pair' } });
    expect(found.hash).toBe(hashTeam(found.team));
    expect(teamFileName('pair')).toBe('pair.yaml');
  });

  it('is absent where there is no file, with the names of its neighbours', () => {
    expect(read(null, { names: ['other.yaml', 'solo.yaml'] })).toEqual({
      kind: 'absent',
      names: ['other', 'solo'],
    });
  });

  it('is unknown where GitHub did not say', () => {
    expect(readRepositoryTeam({ name: 'pair', sha: SHA, answer: null, leave: LEAVE })).toEqual({
      kind: 'unknown',
    });
  });

  it.each([
    ['link', 'is a symbolic link'],
    ['submodule', 'is a submodule'],
    ['directory', 'is a directory'],
    ['too_large', '64 KiB'],
    ['not_text', 'UTF-8'],
    ['not_a_directory', 'must be a directory'],
    ['too_many_files', 'at most 50'],
  ])('is wrong with the reason where its file is not given: %s', (problem, words) => {
    const found = read(null, { problem });
    expect(found).toEqual({ kind: 'wrong', message: expect.stringContaining(words) });
    expect(found).toEqual({ kind: 'wrong', message: expect.stringContaining(PLACE) });
  });

  it('is wrong with line, column and mend of the first problems, and the number of the rest', () => {
    const keys = ['promt', 'modell', 'reedOnly', 'tries', 'maxVisit'].map((k) => `    ${k}: x\n`);
    const found = read(FILE + keys.join(''));
    expect(found).toEqual({
      kind: 'wrong',
      message: expect.stringMatching(
        /^\.sallyport.* cannot be used:\n- line 7, column 5: "promt" is not known here \(did you mean "prompt"\?\)\n- line 8, column 5: .*\n- line 9, column 5: .*readOnly.*\n- and 2 more$/,
      ),
    });
  });

  it('is wrong where it chooses what is not its to choose', () => {
    const found = read(FILE.replace('cli: scripted', 'cli: scripted, command: /bin/sh'));
    expect(found).toEqual({
      kind: 'wrong',
      message: expect.stringMatching(/line 5, column \d+: node "dev": agent\.command may not/),
    });
  });

  it('tells no character that cannot be stored', () => {
    const found = read(`${FILE}    "x\\0\\ud83d": 1\n`);
    if (found.kind !== 'wrong') throw new Error(found.kind);
    expect(found.message).toContain('"x\ufffd\ufffd" is not known here');
    expect(found.message).not.toMatch(/\0|\p{Surrogate}/u);
  });
});
