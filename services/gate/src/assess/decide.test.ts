/** The decision: each refusal with its twin, one thing different, that is admitted. */
import { TeamSchema } from '@sallyport/teams/team';
import { hashTeam } from '@sallyport/teams/team-hash';
import { describe, expect, it } from 'vitest';
import {
  decide,
  explainRefusal,
  judgeRequest,
  leadingRule,
  mayBeOfRepository,
  type AssessedAnswers,
  type AssessedRequest,
} from './decide.ts';

const REQUEST: AssessedRequest = {
  verb: 'fix',
  team: 'starter',
  subjectKind: 'issue',
  requester: { id: 5, login: 'octo-cat' },
  knownTeams: ['starter', 'pair'],
  repositoryTeams: false,
};
const ANSWERS = {
  permission: { found: true, userId: 5, permission: 'write', role: 'write' },
  subject: {
    found: true,
    isPullRequest: false,
    state: 'open',
    title: '',
    body: '',
    authorId: 1,
    updatedAt: '',
  },
  head: { found: true, ref: 'main', sha: 'a'.repeat(40) },
} satisfies AssessedAnswers;

function ruleFor(request: Partial<AssessedRequest>, answers: Partial<AssessedAnswers>): string {
  const { decision, reasons } = decide({ ...REQUEST, ...request }, { ...ANSWERS, ...answers });
  expect(decision).toBe(leadingRule(reasons) === 'none' ? 'admit' : 'refuse');
  return leadingRule(reasons);
}

describe('decide', () => {
  it('admits when every rule passes, and says why', () => {
    const { decision, reasons } = decide(REQUEST, ANSWERS);
    expect(decision).toBe('admit');
    expect(reasons.map((r) => r.rule)).toEqual([
      'verb_understood',
      'subject_is_issue',
      'team_known',
      'requester_known',
      'requester_role',
      'subject_open',
      'base_known',
    ]);
    expect(explainRefusal(reasons)).toBe('');
  });

  it.each(['write', 'maintain', 'admin'])('admits the role %s', (role) => {
    expect(ruleFor({}, { permission: { ...ANSWERS.permission, role } })).toBe('none');
  });

  it.each(['read', 'triage', 'none', '', 'Write', 'my-own-role', null])(
    'refuses the role %s',
    (role) => {
      expect(ruleFor({}, { permission: { ...ANSWERS.permission, role } })).toBe('requester_role');
    },
  );

  it('refuses another account that has the login now, whatever its role', () => {
    expect(ruleFor({}, { permission: { ...ANSWERS.permission, userId: 6, role: 'admin' } })).toBe(
      'requester_known',
    );
    expect(
      ruleFor(
        { requester: { id: 6, login: 'octo-cat' } },
        { permission: { ...ANSWERS.permission, userId: 6 } },
      ),
    ).toBe('none');
  });

  it('refuses an account that GitHub does not name or know', () => {
    expect(ruleFor({}, { permission: { ...ANSWERS.permission, userId: null } })).toBe(
      'requester_known',
    );
    expect(ruleFor({}, { permission: { ...ANSWERS.permission, found: false } })).toBe(
      'requester_known',
    );
  });

  it('takes an unknown answer for a no', () => {
    expect(ruleFor({}, { permission: null })).toBe('requester_role');
    expect(ruleFor({}, { subject: null })).toBe('subject_open');
    expect(ruleFor({}, { head: null })).toBe('base_known');
    const { reasons } = decide(REQUEST, { permission: null, subject: null, head: null });
    expect(reasons.filter((r) => r.result === 'unknown')).toHaveLength(3);
  });

  it('wants an issue, and an open one', () => {
    expect(ruleFor({}, { subject: { ...ANSWERS.subject, state: 'closed' } })).toBe('subject_open');
    expect(ruleFor({}, { subject: { ...ANSWERS.subject, found: false } })).toBe('subject_open');
    expect(ruleFor({}, { subject: { ...ANSWERS.subject, isPullRequest: true } })).toBe(
      'subject_open',
    );
    expect(ruleFor({ subjectKind: 'pull_request' }, {})).toBe('subject_is_issue');
  });

  it('wants a commit to start from', () => {
    expect(ruleFor({}, { head: { ...ANSWERS.head, found: false } })).toBe('base_known');
    expect(ruleFor({}, { head: { ...ANSWERS.head, sha: null } })).toBe('base_known');
  });

  it('runs the teams that there are', () => {
    expect(ruleFor({ team: 'pair' }, {})).toBe('none');
    expect(ruleFor({ team: 'other' }, {})).toBe('team_known');
    expect(ruleFor({ team: '' }, {})).toBe('team_known');
  });
});

describe('judgeRequest', () => {
  it('refuses every verb but the one that runs, and says what is understood', () => {
    for (const verb of ['review', 'plan', 'frobnicate']) {
      const reasons = judgeRequest({ ...REQUEST, verb });
      expect(leadingRule(reasons)).toBe('verb_understood');
      expect(explainRefusal(reasons)).toContain('/agent fix');
    }
    expect(leadingRule(judgeRequest(REQUEST))).toBe('none');
  });

  it('tells everything that is wrong at once, within what a comment may hold', () => {
    const knownTeams = Array.from({ length: 100 }, (_, i) => `team-${i}-${'x'.repeat(30)}`);
    const reasons = judgeRequest({
      ...REQUEST,
      verb: 'plan',
      subjectKind: 'pull_request',
      team: 'no',
      knownTeams,
    });
    expect(reasons.filter((r) => r.result === 'fail')).toHaveLength(3);
    expect(explainRefusal(reasons)).toHaveLength(2000);
  });
});

describe('a team that the operator does not have', () => {
  const request = { ...REQUEST, team: 'ours', repositoryTeams: true };
  const team = TeamSchema.parse({
    v: 1,
    name: 'ours',
    nodes: [{ id: 'one', agent: { cli: 'scripted' }, prompt: '' }],
  });
  const found = { kind: 'found', team, hash: hashTeam(team), place: 'FILE at COMMIT' } as const;

  it("is the repository's, when it has one and the operator allows it", () => {
    const { decision, reasons } = decide(request, ANSWERS, found);
    expect(decision).toBe('admit');
    expect(reasons.at(-1)).toMatchObject({
      rule: 'team_known',
      result: 'pass',
      message: 'the team is "ours" of this repository, as in FILE at COMMIT',
    });
    const off = { ...request, repositoryTeams: false };
    expect(decide(off, ANSWERS, found).decision).toBe('refuse');
    expect(leadingRule(judgeRequest(off))).toBe('team_known');
    expect(leadingRule(judgeRequest(request))).toBe('none');
  });

  it('is refused with all names that there are when the repository has none either', () => {
    const { decision, reasons } = decide(request, ANSWERS, {
      kind: 'absent',
      names: ['theirs', 'pair'],
    });
    expect(decision).toBe('refuse');
    expect(explainRefusal(reasons)).toBe(
      'there is no team "ours"; there is "starter", "pair", "theirs"',
    );
  });

  it('is refused with what is wrong with its file', () => {
    const { reasons } = decide(request, ANSWERS, { kind: 'wrong', message: 'line 3' });
    expect([leadingRule(reasons), explainRefusal(reasons)]).toEqual(['team_usable', 'line 3']);
  });

  it.each([null, { kind: 'unknown' } as const])(
    'is not taken for known when it is %j',
    (nothing) => {
      const { decision, reasons } = decide(request, ANSWERS, nothing);
      expect(decision).toBe('refuse');
      expect(reasons.at(-1)).toMatchObject({ rule: 'team_known', result: 'unknown' });
    },
  );

  it('is not looked for under no name, nor in place of one of the operator', () => {
    expect(mayBeOfRepository(request)).toBe(true);
    expect(mayBeOfRepository({ ...request, team: '' })).toBe(false);
    expect(mayBeOfRepository({ ...request, team: 'pair' })).toBe(false);
    expect(decide({ ...request, team: 'pair' }, ANSWERS, { kind: 'absent', names: [] })).toEqual(
      decide({ ...REQUEST, team: 'pair' }, ANSWERS),
    );
  });

  it('is told without halves of characters, however long its file says it', () => {
    const { reasons } = decide(request, ANSWERS, {
      kind: 'wrong',
      message: `x${'😀'.repeat(1500)}`,
    });
    expect(explainRefusal(reasons)).toMatch(/^x(?:😀){999}\ufffd$/u);
  });
});
