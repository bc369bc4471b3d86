/** Answers: which role has this account in the repository. The account's id comes back too, because logins can change hands. */
import { errorCodeOf } from '@sallyport/shared/errors';
import type { GithubAnswer, GithubParams } from '@sallyport/shared/task/github-requests';
import { z } from 'zod';
import { readReply } from '../github/reply.ts';
import type { TokenGrant } from '../github/token.ts';
import { requireLogin } from '../github/names.ts';

const PermissionSchema = z.object({
  permission: z.string(),
  role_name: z.string(),
  user: z.object({ id: z.int() }).nullable(),
});

export async function answerPermission(
  grant: TokenGrant,
  params: GithubParams<'permission'>,
): Promise<GithubAnswer<'permission'>> {
  const { owner, name: repo } = grant.repository;
  try {
    const reply = await grant.octokit.request(
      'GET /repos/{owner}/{repo}/collaborators/{username}/permission',
      {
        owner,
        repo,
        username: requireLogin(params.login),
      },
    );
    const {
      permission,
      role_name: role,
      user,
    } = readReply(PermissionSchema, reply, 'reading a permission');
    return { found: true, userId: user?.id ?? null, permission, role };
  } catch (error) {
    if (errorCodeOf(error) !== 'not_found') throw error;
    return { found: false, userId: null, permission: null, role: null };
  }
}
