/** Mints, finds and revokes installation tokens in both of GitHub's formats. */
import { createHmac, randomBytes } from 'node:crypto';
import { Refused, validationFailed } from '../http/reply.ts';
import { reposOf, type State } from '../state/state.ts';
import type { Access, Installation, Permissions, Token } from '../state/types.ts';

const LIFETIME_MS = 60 * 60 * 1000;
const RANK: Readonly<Record<Access, number>> = { read: 1, write: 2, admin: 3 };
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

export function includesAccess(have: Permissions, name: string, wanted: Access): boolean {
  const got = have[name];
  return got !== undefined && RANK[got] >= RANK[wanted];
}

/** Whether any one of the alternatives is wholly held. */
export function holdsAny(have: Permissions, alternatives: readonly Permissions[]): boolean {
  return alternatives.some((set) =>
    Object.entries(set).every(([name, access]) => includesAccess(have, name, access)),
  );
}

function classicToken(): string {
  return `ghs_${[...randomBytes(36)].map((byte) => ALPHABET[byte % ALPHABET.length]).join('')}`;
}

/** `ghs_<app>_<header>.<claims>.<signature>`: long, dotted, and not to be recognised by 36 letters. */
function statelessToken(state: State, installation: Installation, expiresAt: Date): string {
  const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const claims = {
    iss: 'github',
    sub: `installation:${installation.id}`,
    exp: Math.floor(expiresAt.getTime() / 1000),
    jti: randomBytes(16).toString('hex'),
    permissions: installation.permissions,
  };
  const body = `${part({ alg: 'HS512', typ: 'JWT' })}.${part(claims)}`;
  return `ghs_${state.app.id}_${body}.${createHmac('sha512', state.secret).update(body).digest('base64url')}`;
}

function narrowedPermissions(installation: Installation, asked: unknown): Permissions {
  if (asked === undefined || asked === null) return installation.permissions;
  const entries = Object.entries(asked as Record<string, Access>);
  if (!entries.every(([name, access]) => includesAccess(installation.permissions, name, access))) {
    throw new Refused(422, 'The permissions requested are not granted to this installation.');
  }
  // GitHub adds read access to metadata to every token.
  return { metadata: 'read', ...Object.fromEntries(entries) };
}

function narrowedRepositories(
  state: State,
  installation: Installation,
  body: Readonly<Record<string, unknown>>,
): number[] | null {
  const ids = body['repository_ids'];
  const names = body['repositories'];
  if (ids === undefined && names === undefined) return null;
  const reachable = reposOf(state, installation);
  const chosen = [
    ...(Array.isArray(ids) ? ids : []).map((id) => reachable.find((repo) => repo.id === id)),
    ...(Array.isArray(names) ? names : []).map((name) =>
      reachable.find((repo) => repo.name === name),
    ),
  ];
  const found = chosen.filter((repo) => repo !== undefined);
  if (found.length !== chosen.length) {
    throw new Refused(
      422,
      'There is at least one repository that does not exist or is not accessible to the parent installation.',
    );
  }
  if (found.length > 500)
    throw validationFailed({
      resource: 'IntegrationInstallation',
      code: 'invalid',
      field: 'repository_ids',
    });
  return [...new Set(found.map((repo) => repo.id))];
}

export function mintToken(
  state: State,
  installation: Installation,
  body: Readonly<Record<string, unknown>>,
): Token {
  if (installation.suspendedAt !== null)
    throw new Refused(403, 'This installation has been suspended');
  const mintedAt = state.now();
  const expiresAt = new Date(mintedAt.getTime() + LIFETIME_MS);
  const token: Token = {
    id: state.nextId('token'),
    value:
      state.tokenFormat === 'classic'
        ? classicToken()
        : statelessToken(state, installation, expiresAt),
    installationId: installation.id,
    permissions: narrowedPermissions(installation, body['permissions']),
    repositoryIds: narrowedRepositories(state, installation, body),
    mintedAt,
    expiresAt,
    revokedAt: null,
  };
  state.tokens.push(token);
  return token;
}

export function isLive(state: State, token: Token): boolean {
  const installation = state.installations.get(token.installationId);
  return (
    token.revokedAt === null &&
    token.expiresAt > state.now() &&
    installation !== undefined &&
    !installation.deleted
  );
}

export function findLiveToken(state: State, value: string): Token | null {
  return state.tokens.find((token) => token.value === value && isLive(state, token)) ?? null;
}

/** Whether a token reaches a repository, whatever it may do there. */
export function coversRepository(state: State, token: Token, repoId: number): boolean {
  const installation = state.installations.get(token.installationId);
  if (!installation || !reposOf(state, installation).some((repo) => repo.id === repoId))
    return false;
  return token.repositoryIds === null || token.repositoryIds.includes(repoId);
}
