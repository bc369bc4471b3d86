/**
 * The decision whether a request may run, as a list of reasons that is its own explanation. Pure. Whatever is not known
 * counts as a no, and no answer of GitHub is taken for one about somebody else.
 */
import type { RepositoryTeam } from '../choices/repository-team.ts';
import type { GithubAnswer } from '@sallyport/shared/task/github-requests';

export interface Reason {
  rule: string;
  result: 'pass' | 'fail' | 'unknown';
  /** One sentence for the requester; a mend where there is one. */
  message: string;
}

export interface Decision {
  decision: 'admit' | 'refuse';
  reasons: Reason[];
}

/** What is known without asking anybody. */
export interface AssessedRequest {
  verb: string;
  /** The team to run, '' when the requester wrote `--team` and no possible name. */
  team: string;
  subjectKind: 'issue' | 'pull_request';
  requester: { id: number; login: string };
  /** The operator's teams. */
  knownTeams: readonly string[];
  /** Whether the operator lets a repository bring teams of its own. */
  repositoryTeams: boolean;
}

/** GitHub's answers; null where there is none that can be relied on. */
export interface AssessedAnswers {
  permission: GithubAnswer<'permission'> | null;
  subject: GithubAnswer<'subject'> | null;
  head: GithubAnswer<'head'> | null;
}

const RUNNING_VERB = 'fix';
const ROLES_THAT_MAY_ASK: readonly string[] = ['write', 'maintain', 'admin'];

/** The rules that need no answer. When one of them does not pass, nobody need be asked. */
export function judgeRequest(request: AssessedRequest): Reason[] {
  const { verb, team, subjectKind, knownTeams } = request;
  const isJudgedLater = mayBeOfRepository(request);
  return [
    verb === RUNNING_VERB
      ? pass('verb_understood', `"${verb}" is understood`)
      : fail(
          'verb_understood',
          `"${verb}" is not understood here; write "/agent ${RUNNING_VERB}" and what to do`,
        ),
    subjectKind === 'issue'
      ? pass('subject_is_issue', 'asked on an issue')
      : fail(
          'subject_is_issue',
          `"/agent ${RUNNING_VERB}" works on issues, not on pull requests; ask on an issue`,
        ),
    ...(isJudgedLater ? [] : [judgeTeam(team, knownTeams)]),
  ];
}

/** Whether the team must be looked for in the repository; the operator's team of that name goes before it. */
export function mayBeOfRepository(request: AssessedRequest): boolean {
  const { team, knownTeams, repositoryTeams } = request;
  return repositoryTeams && team !== '' && !knownTeams.includes(team);
}

/**
 * Everything but a team of the repository. Its file is read only for somebody whom nothing else stands against.
 */
export function decideBeforeTeam(request: AssessedRequest, answers: AssessedAnswers): Decision {
  return conclude([
    ...judgeRequest(request),
    ...judgeRequester(request.requester, answers.permission),
    judgeSubject(answers.subject),
    judgeHead(answers.head),
  ]);
}

/** The whole decision; `team` is what the repository has, null when the team is not to be looked for there. */
export function decide(
  request: AssessedRequest,
  answers: AssessedAnswers,
  team: RepositoryTeam | null = null,
): Decision {
  const { reasons } = decideBeforeTeam(request, answers);
  return mayBeOfRepository(request)
    ? conclude([...reasons, judgeRepositoryTeam(request, team)])
    : conclude(reasons);
}

function conclude(reasons: Reason[]): Decision {
  return { decision: reasons.every((r) => r.result === 'pass') ? 'admit' : 'refuse', reasons };
}

/** What the requester is told: the messages of everything that did not pass. */
export function explainRefusal(reasons: readonly Reason[]): string {
  return (
    reasons
      .filter((reason) => reason.result !== 'pass')
      .map((reason) => reason.message)
      .join('; ')
      .slice(0, 2000)
      // A cut may leave half a character, which no table takes.
      .replaceAll(/\p{Surrogate}/gu, '\ufffd')
  );
}

/** The rule by which a refusal is known in lists. */
export function leadingRule(reasons: readonly Reason[]): string {
  return reasons.find((reason) => reason.result !== 'pass')?.rule ?? 'none';
}

function judgeTeam(team: string, known: readonly string[]): Reason {
  if (known.includes(team)) return pass('team_known', `the team is "${team}"`);
  const choice = known.map((name) => `"${name}"`).join(', ');
  const problem = team === '' ? '--team wants the name of a team' : `there is no team "${team}"`;
  return fail('team_known', `${problem}; there is ${choice}`);
}

function judgeRepositoryTeam(request: AssessedRequest, found: RepositoryTeam | null): Reason {
  const { team, knownTeams } = request;
  if (found?.kind === 'found') {
    return pass('team_known', `the team is "${team}" of this repository, as in ${found.place}`);
  }
  if (found?.kind === 'absent') {
    return judgeTeam(team, [...new Set([...knownTeams, ...found.names])]);
  }
  return found?.kind === 'wrong'
    ? fail('team_usable', found.message)
    : unknown('team_known', `the file of the team "${team}" could not be read; ask again`);
}

function judgeRequester(
  requester: { id: number; login: string },
  permission: GithubAnswer<'permission'> | null,
): Reason[] {
  if (permission === null) {
    return [
      unknown('requester_role', `the role of ${requester.login} could not be read; ask again`),
    ];
  }
  const { found, userId, role } = permission;
  if (!found || userId === null) {
    return [fail('requester_known', `${requester.login} has no role in this repository`)];
  }
  // A login can be given up and taken by somebody else; the number stays with the account that wrote the comment.
  if (userId !== requester.id) {
    return [
      fail(
        'requester_known',
        `the account ${requester.login} is not the one that wrote the comment`,
      ),
    ];
  }
  const may = role !== null && ROLES_THAT_MAY_ASK.includes(role);
  return [
    pass('requester_known', `${requester.login} wrote the comment`),
    may
      ? pass('requester_role', `${requester.login} has the role ${role}`)
      : fail(
          'requester_role',
          `asking takes the role ${ROLES_THAT_MAY_ASK.join(', ')}; ${requester.login} has ${role ?? 'none'}`,
        ),
  ];
}

function judgeSubject(subject: GithubAnswer<'subject'> | null): Reason {
  if (subject === null) return unknown('subject_open', 'the issue could not be read; ask again');
  if (!subject.found) return fail('subject_open', 'the issue is gone');
  if (subject.isPullRequest) return fail('subject_open', 'this is a pull request, not an issue');
  if (subject.state !== 'open')
    return fail('subject_open', `the issue is ${subject.state}; reopen it and ask again`);
  return pass('subject_open', 'the issue is open');
}

function judgeHead(head: GithubAnswer<'head'> | null): Reason {
  if (head === null)
    return unknown('base_known', 'the default branch could not be read; ask again');
  if (!head.found || head.sha === null)
    return fail('base_known', 'the repository has no commit to start from');
  return pass('base_known', `work starts from ${head.ref} at ${head.sha}`);
}

function pass(rule: string, message: string): Reason {
  return { rule, result: 'pass', message };
}

function fail(rule: string, message: string): Reason {
  return { rule, result: 'fail', message };
}

function unknown(rule: string, message: string): Reason {
  return { rule, result: 'unknown', message };
}
