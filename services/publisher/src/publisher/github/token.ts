/**
 * A token per act: minted for one repository with the act's own permissions, checked against what was asked, recorded
 * before its first use, and revoked when the act is over, whatever became of it. A token is never kept, cached or logged.
 */
import type { Octokit } from '@octokit/rest';
import { crashPoint } from '@sallyport/shared/crash-point';
import { setInstallationState } from '@sallyport/shared/db/installation';
import type { Pool } from '@sallyport/shared/db/pool';
import { appendPrivilegedAct } from '@sallyport/shared/db/privileged-act';
import { appendEvent } from '@sallyport/shared/db/timeline';
import { AppError, errorCodeOf } from '@sallyport/shared/errors';
import type { Logger } from '@sallyport/shared/log';
import { z } from 'zod';
import type { Github } from './client.ts';
import { readInstallation, resolveInstallation } from './installation.ts';
import { readReply } from './reply.ts';
import { TOKEN_ACTS, type TokenAct, type TokenPermissions } from './token-acts.ts';

const REVOKE_TIMEOUT_MS = 5_000;
const MAX_TOKEN_LENGTH = 1_024;
/** What GitHub allows in names, without the two that a URL parser would walk up on. */
const NAME_PATTERN = /^(?!\.{1,2}$)[A-Za-z0-9._-]{1,100}$/;

/** The repository as GitHub names it now, whatever it was called when the task was admitted. */
export interface CurrentRepository {
  id: number;
  owner: string;
  name: string;
  defaultBranch: string;
  archived: boolean;
}

export interface TokenGrant {
  octokit: Octokit;
  token: string;
  repository: CurrentRepository;
  installationId: number;
}

export interface TokenDeps {
  db: Pool;
  log: Logger;
  github: Github;
}

export interface TokenRequest {
  act: TokenAct;
  taskId: string;
  installationId: number;
  repositoryId: number;
  /** The name under which to look for the repository when its App was reinstalled. */
  knownAs: { owner: string; name: string };
}

const MintedSchema = z.object({
  token: z.string().min(1).max(MAX_TOKEN_LENGTH),
  permissions: z.record(z.string(), z.string()),
  repository_selection: z.literal('selected'),
  repositories: z
    .array(
      z.object({
        id: z.int(),
        name: z.string().regex(NAME_PATTERN),
        owner: z.object({ login: z.string().regex(NAME_PATTERN) }),
        default_branch: z.string().default(''),
        archived: z.boolean().default(false),
      }),
    )
    .length(1),
});

/**
 * Runs the act with a token of its own.
 * @throws AppError of the failed request; `forbidden` with `detail.why` `installation_suspended`, or `token_differs` when
 * GitHub granted something else than was asked; and whatever the act throws.
 */
export async function withToken<T>(
  deps: TokenDeps,
  request: TokenRequest,
  use: (grant: TokenGrant) => Promise<T>,
): Promise<T> {
  const { token, installationId, fingerprint, reply } = await mint(deps, request);
  const octokit = deps.github.withToken(token);
  const facts = {
    act: request.act,
    installationId,
    repositoryId: request.repositoryId,
    permissions: TOKEN_ACTS[request.act],
    keyFingerprint: fingerprint,
  };
  crashPoint('publisher:token_not_recorded');
  try {
    const repository = checkGrant(request, reply);
    await record(deps, request.taskId, 'token_minted', facts);
    return await use({ octokit, token, repository, installationId });
  } finally {
    await revoke(deps, request.taskId, octokit, facts);
  }
}

interface Minted {
  token: string;
  installationId: number;
  fingerprint: string;
  reply: unknown;
}

async function mint(deps: TokenDeps, request: TokenRequest): Promise<Minted> {
  try {
    return await mintAt(deps, request, request.installationId);
  } catch (error) {
    if (errorCodeOf(error) === 'not_found') {
      // The App was removed and installed again: the repository is the same, its installation another.
      const current = await resolveInstallation(deps.github, request.knownAs);
      if (current === null || current === request.installationId) throw error;
      return mintAt(deps, request, current);
    }
    if (errorCodeOf(error) === 'forbidden' && (await isSuspended(deps, request.installationId))) {
      throw new AppError('forbidden', 'the installation is suspended', {
        detail: { why: 'installation_suspended', installationId: request.installationId },
      });
    }
    throw error;
  }
}

async function mintAt(
  deps: TokenDeps,
  request: TokenRequest,
  installationId: number,
): Promise<Minted> {
  return deps.github.asApp(async (octokit, key) => {
    const reply = await octokit.request('POST /app/installations/{installation_id}/access_tokens', {
      installation_id: installationId,
      repository_ids: [request.repositoryId],
      permissions: TOKEN_ACTS[request.act],
    });
    const { token } = readReply(
      z.object({ token: MintedSchema.shape.token }),
      reply,
      'minting a token',
      201,
    );
    await setInstallationState(deps.db, installationId, 'active');
    return { token, installationId, fingerprint: key.fingerprint, reply: reply.data };
  });
}

async function isSuspended(deps: TokenDeps, installationId: number): Promise<boolean> {
  const installation = await readInstallation(deps.github, installationId);
  if (installation?.suspended !== true) return false;
  await setInstallationState(deps.db, installationId, 'suspended');
  return true;
}

function checkGrant(request: TokenRequest, reply: unknown): CurrentRepository {
  const parsed = MintedSchema.safeParse(reply);
  const [repository] = parsed.data?.repositories ?? [];
  if (
    !parsed.success ||
    repository?.id !== request.repositoryId ||
    !samePermissions(parsed.data.permissions, TOKEN_ACTS[request.act])
  ) {
    throw new AppError('forbidden', 'GitHub granted another token than was asked for', {
      detail: { why: 'token_differs', act: request.act, repositoryId: request.repositoryId },
    });
  }
  return {
    id: repository.id,
    owner: repository.owner.login,
    name: repository.name,
    defaultBranch: repository.default_branch,
    archived: repository.archived,
  };
}

function samePermissions(granted: Record<string, string>, asked: TokenPermissions): boolean {
  const names = Object.keys(asked);
  return (
    Object.keys(granted).length === names.length &&
    names.every((name) => granted[name] === asked[name])
  );
}

async function revoke(
  deps: TokenDeps,
  taskId: string,
  octokit: Octokit,
  facts: Record<string, unknown>,
): Promise<void> {
  let revoked = false;
  try {
    await octokit.request('DELETE /installation/token', {
      request: { signal: AbortSignal.timeout(REVOKE_TIMEOUT_MS) },
    });
    revoked = true;
  } catch (error) {
    deps.log.error(
      { err: error, act: facts['act'] },
      'revoking a token failed; it dies by itself within the hour',
    );
  }
  // The act is over and its outcome stands, so a record that cannot be written must not turn it into a failure.
  await record(deps, taskId, 'token_revoked', { ...facts, revoked }).catch((error: unknown) =>
    deps.log.error({ err: error }, 'recording the end of a token failed'),
  );
}

async function record(
  deps: TokenDeps,
  taskId: string,
  kind: 'token_minted' | 'token_revoked',
  facts: Record<string, unknown>,
): Promise<void> {
  await appendPrivilegedAct(deps.db, kind, taskId, facts);
  await appendEvent(deps.db, taskId, kind, facts);
}
