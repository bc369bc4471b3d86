import fc from 'fast-check';
import { expect, it } from 'vitest';
import { readTeamFile } from './read-team-file.ts';
import { TeamShapeSchema, type Team } from './team.ts';
import { TEMPLATES } from './templates/find-template.ts';
import { writeTeamFile, writeTeamJson } from './write-team-file.ts';

function team(prompt: string, more: object = {}): Team {
  return TeamShapeSchema.parse({
    v: 1,
    name: 'one',
    nodes: [{ id: 'a', agent: { cli: 'claude' }, prompt, ...more }],
  });
}

it.each(TEMPLATES.map((template) => [template.name, template] as const))(
  'writes %s so that the same team is read',
  (_name, template) => {
    expect(readTeamFile(writeTeamFile(template))).toEqual({
      ok: true,
      problems: [],
      team: template,
    });
  },
);

it('leaves out what is so anyway, and keeps what is not', () => {
  expect(writeTeamFile(team('Look.', { readOnly: true, maxVisits: 3, attempts: 2 }))).toBe(
    'v: 1\nname: one\nnodes:\n  - id: a\n    agent: { cli: claude }\n    prompt: Look.\n    readOnly: true\n    attempts: 2\n',
  );
});

it.each([
  ['a right-to-left override', 'a\u202eb', '\\u202E'],
  ['a zero-width space', 'a\u200bb', '\\u200B'],
  ['a tag character', 'a\u{e0041}b', '\\U000E0041'],
  ['an escape sequence', '\u001b[2J', '\\e'],
])('writes %s so that it can be seen', (_what, prompt, seen) => {
  const text = writeTeamFile(team(prompt));
  expect(text).toContain(seen);
  expect(text).not.toContain(prompt);
  expect(readTeamFile(text).team?.nodes[0]?.prompt).toBe(prompt);
  const json = writeTeamJson(team(prompt));
  expect(json).not.toContain(prompt);
  expect(JSON.parse(json)).toMatchObject({ nodes: [{ prompt }] });
});

it('reads any prompt and argument back as it was', () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 300 }),
    fc.stringMatching(/^[ \n\t:#'"|>\-{}[\]&*!%@`a-z0-9\r\u2028\u200b]{0,300}$/),
  );
  fc.assert(
    fc.property(text, text, (prompt, arg) => {
      const given = team(prompt, { agent: { cli: 'claude', args: [arg] } });
      expect(readTeamFile(writeTeamFile(given)).team).toEqual(given);
      expect(TeamShapeSchema.parse(JSON.parse(writeTeamJson(given)))).toEqual(given);
    }),
    { numRuns: 500 },
  );
});
