/** Reads refs and commits as GitHub has them: what was pushed is compared with what was judged here. */
import { errorCodeOf } from '@sallyport/shared/errors';
import { z } from 'zod';
import { readReply } from './reply.ts';
import type { TokenGrant } from './token.ts';

const sha = z.string().regex(/^[0-9a-f]{40}$/);
const RefSchema = z.object({ ref: z.string(), object: z.object({ type: z.string(), sha }) });
const CommitSchema = z.object({
  sha,
  tree: z.object({ sha }),
  parents: z.array(z.object({ sha })),
});

/** The commit that a ref (`heads/NAME`) names, or null when there is no such ref. */
export async function readRef(grant: TokenGrant, ref: string): Promise<string | null> {
  try {
    const reply = await grant.octokit.request('GET /repos/{owner}/{repo}/git/ref/{ref}', {
      owner: grant.repository.owner,
      repo: grant.repository.name,
      ref,
    });
    const found = readReply(RefSchema, reply, 'reading a ref');
    return found.ref === `refs/${ref}` && found.object.type === 'commit' ? found.object.sha : null;
  } catch (error) {
    if (errorCodeOf(error) !== 'not_found') throw error;
    return null;
  }
}

export interface RemoteCommit {
  sha: string;
  tree: string;
  parents: string[];
}

/** A commit's tree and parents. @throws AppError `not_found` when the repository has no such commit. */
export async function readCommit(grant: TokenGrant, commitSha: string): Promise<RemoteCommit> {
  const reply = await grant.octokit.request('GET /repos/{owner}/{repo}/git/commits/{commit_sha}', {
    owner: grant.repository.owner,
    repo: grant.repository.name,
    commit_sha: commitSha,
  });
  const found = readReply(CommitSchema, reply, 'reading a commit');
  return {
    sha: found.sha,
    tree: found.tree.sha,
    parents: found.parents.map((parent) => parent.sha),
  };
}
