/** Answers: the issue or pull request as it is now. One that was moved to another repository counts as not there. */
import { errorCodeOf } from '@sallyport/shared/errors';
import type { GithubAnswer, GithubParams } from '@sallyport/shared/task/github-requests';
import { z } from 'zod';
import { readReply } from '../github/reply.ts';
import type { TokenGrant } from '../github/token.ts';

const SubjectSchema = z.object({
  number: z.int(),
  repository_url: z.string(),
  state: z.string(),
  title: z.string(),
  body: z.string().nullish(),
  user: z.object({ id: z.int() }).nullable(),
  updated_at: z.string(),
  pull_request: z.unknown().optional(),
});

const NOT_FOUND: GithubAnswer<'subject'> = {
  found: false,
  isPullRequest: false,
  state: '',
  title: '',
  body: '',
  authorId: null,
  updatedAt: '',
};

export async function answerSubject(
  grant: TokenGrant,
  params: GithubParams<'subject'>,
): Promise<GithubAnswer<'subject'>> {
  const { owner, name: repo } = grant.repository;
  try {
    const reply = await grant.octokit.request('GET /repos/{owner}/{repo}/issues/{issue_number}', {
      owner,
      repo,
      issue_number: params.number,
    });
    const subject = readReply(SubjectSchema, reply, 'reading an issue');
    const isHere =
      subject.number === params.number &&
      subject.repository_url.toLowerCase().endsWith(`/repos/${owner}/${repo}`.toLowerCase());
    if (!isHere) return NOT_FOUND;
    return {
      found: true,
      isPullRequest: subject.pull_request !== undefined,
      state: subject.state,
      title: subject.title,
      body: subject.body ?? '',
      authorId: subject.user?.id ?? null,
      updatedAt: subject.updated_at,
    };
  } catch (error) {
    if (errorCodeOf(error) !== 'not_found') throw error;
    return NOT_FOUND;
  }
}
