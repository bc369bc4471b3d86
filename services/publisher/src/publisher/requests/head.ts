/** Answers: the commit at the tip of a branch, of the default one when none is named. */
import { errorCodeOf } from '@sallyport/shared/errors';
import type { GithubAnswer, GithubParams } from '@sallyport/shared/task/github-requests';
import { readRef } from '../github/read-ref.ts';
import type { TokenGrant } from '../github/token.ts';

export async function answerHead(
  grant: TokenGrant,
  params: GithubParams<'head'>,
): Promise<GithubAnswer<'head'>> {
  const ref = params.ref ?? grant.repository.defaultBranch;
  if (ref === '') return { found: false, ref, sha: null };
  try {
    const sha = await readRef(grant, `heads/${ref}`);
    return { found: sha !== null, ref, sha };
  } catch (error) {
    // An empty repository has a default branch by name only.
    if (errorCodeOf(error) !== 'conflict') throw error;
    return { found: false, ref, sha: null };
  }
}
