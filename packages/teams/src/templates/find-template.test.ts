import { describe, expect, test } from 'vitest';
import { TeamSchema } from '../team.ts';
import { validateTeam } from '../validate-team.ts';
import { findTemplate, TEMPLATES } from './find-template.ts';

describe('the teams that ship', () => {
  test.each([
    ['dev-qa', ['qa']],
    ['dev-qa-loop', ['qa']],
    ['bug-hunt', ['reproduction', 'verification']],
    ['release-shield', ['qa', 'security']],
    ['feature-squad', ['tester']],
  ])('%s: the nodes that judge are read-only, the others write', (name, readOnly) => {
    const team = findTemplate(name);
    expect(team?.nodes.filter((n) => n.readOnly).map((n) => n.id)).toEqual(readOnly);
    expect(team?.readOnly).toBe(false);
  });

  test('have nothing against them', () => {
    expect(TEMPLATES).toHaveLength(5);
    for (const team of TEMPLATES) expect(validateTeam(TeamSchema.parse(team))).toEqual([]);
  });

  test('would be refused if a reviewer beside another could write', () => {
    const shield = findTemplate('release-shield');
    if (shield === undefined) throw new Error('no release-shield');
    const nodes = shield.nodes.map((n) => ({ ...n, readOnly: false }));
    expect(validateTeam({ ...shield, nodes })).toMatchObject([
      { code: 'concurrent_writers', message: expect.stringContaining('"qa" and "security"') },
    ]);
  });

  test('are found by name alone', () => {
    expect(findTemplate('nobody')).toBeUndefined();
  });
});
