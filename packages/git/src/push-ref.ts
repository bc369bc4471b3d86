/**
 * Pushes one commit to one branch, under the condition that the branch is where the caller believes it to be. The token
 * passes by an unnamed file; the remote stands on the command line after `--` and in no configuration.
 */
import { AppError } from '@sallyport/shared/errors';
import { ASKPASS_DIR, withToken } from './askpass.ts';
import { wrapIn, type Isolation, type Mount } from './isolation.ts';
import { requireOid } from './oid.ts';
import { readPushOutcome, type PushOutcome } from './push-outcome.ts';
import { requireRemoteUrl, type Remote } from './remote-url.ts';
import { attemptGit, SOURCE_RESOURCES } from './run-git.ts';
import { requireBranchRef } from './write-bundle-header.ts';

export interface PushRequest {
  /** The repository that holds the commit, and further directories that it borrows objects from. */
  gitDir: string;
  borrowsFrom: readonly string[];
  commit: string;
  /** `refs/heads/...` */
  ref: string;
  /** The commit the branch must be at, or null when it must not exist. */
  expectedOld: string | null;
  remote: Remote;
  token: string;
  isolation: Isolation;
  timeoutMs?: number;
}

const PUSH_TIMEOUT_MS = 120_000;

/**
 * Pushes. Safe to repeat: a branch already at the commit is `pushed`.
 * @throws AppError `bad_input` for a request that must not reach git, `unavailable` when git cannot start.
 */
export async function pushRef(request: PushRequest): Promise<PushOutcome> {
  const commit = requireOid(request.commit, 'the commit to push');
  const ref = requireBranchRef(request.ref);
  if (/[:*?[\\^~ ]|\.\.|@\{/.test(ref))
    throw new AppError('bad_input', 'the ref is not a valid branch name');
  const expectedOld =
    request.expectedOld === null ? '' : requireOid(request.expectedOld, 'the expected old commit');
  const url = requireRemoteUrl(request.remote).href;
  const readOnly: Mount[] = [ASKPASS_DIR, ...request.borrowsFrom].map((path) => ({ path }));
  return withToken(request.remote, request.token, async (signIn) => {
    const result = await attemptGit({
      ...signIn,
      gitDir: request.gitDir,
      origin: 'source',
      resources: SOURCE_RESOURCES,
      // Finds out what the remote has beyond its tips; without it a base that has moved on is sent whole.
      config: ['push.negotiate=true'],
      args: [
        'push',
        '--porcelain',
        '--no-verify',
        '--no-follow-tags',
        '--no-signed',
        '--recurse-submodules=no',
        `--force-with-lease=${ref}:${expectedOld}`,
        '--',
        url,
        `${commit}:${ref}`,
      ],
      timeoutMs: request.timeoutMs ?? PUSH_TIMEOUT_MS,
      wrap: wrapIn(request.isolation, {
        network: true,
        readOnly,
        writable: [{ path: request.gitDir }],
      }),
    });
    return readPushOutcome(result, ref);
  });
}
