/** Who is asking: an App by its JSON web token, an installation by its token, nobody, or somebody that GitHub refuses. */
import { coversRepository, findLiveToken, holdsAny } from '../app/tokens.ts';
import { verifyAppJwt } from '../app/json-web-token.ts';
import type { State } from '../state/state.ts';
import type { Permissions, Repo } from '../state/types.ts';
import { Refused, notFound } from './reply.ts';
import type { Actor, Route } from './route.ts';

export function authenticate(state: State, authorization: string | undefined): Actor {
  const match = /^(?:bearer|token) (.+)$/i.exec(authorization ?? '');
  if (authorization === undefined) return { kind: 'none' };
  const value = match?.[1] ?? '';
  if (value.startsWith('ghs_')) {
    const token = findLiveToken(state, value);
    const installation = token && state.installations.get(token.installationId);
    if (!token || !installation) throw new Refused(401, 'Bad credentials');
    return { kind: 'token', token, installation };
  }
  if (value.split('.').length !== 3) throw new Refused(401, 'Bad credentials');
  verifyAppJwt(state, value);
  return { kind: 'jwt' };
}

/** Throws unless this kind of caller may use the route and holds one of the sets of permissions that it wants. */
export function authorize(state: State, route: Route, actor: Actor, repo: Repo | null): void {
  if (route.auth === 'any') return;
  if (route.auth === 'jwt') {
    if (actor.kind === 'none') throw new Refused(401, 'A JSON web token could not be decoded');
    if (actor.kind === 'token') throw new Refused(403, 'Resource not accessible by integration');
    return;
  }
  if (actor.kind === 'none') throw new Refused(401, 'Requires authentication');
  if (actor.kind === 'jwt') throw new Refused(401, 'Bad credentials');
  if (actor.installation.suspendedAt !== null)
    throw new Refused(403, 'This installation has been suspended');
  if (repo !== null && !coversRepository(state, actor.token, repo.id)) throw notFound();
  if (route.needs && !holdsAny(actor.token.permissions, route.needs)) {
    throw new Refused(403, 'Resource not accessible by integration');
  }
}

/** `X-Accepted-GitHub-Permissions`: `;` between alternatives, `,` within one. */
export function acceptedPermissions(needs: readonly Permissions[]): string {
  return needs
    .map((set) =>
      Object.entries(set)
        .map(([name, access]) => `${name}=${access}`)
        .join(','),
    )
    .join('; ');
}
