/** Verifies the App's JSON web token as GitHub does: RS256 only, the App as issuer, never valid for more than ten minutes. */
import { verify } from 'node:crypto';
import { Refused } from '../http/reply.ts';
import type { State } from '../state/state.ts';

const MAX_AHEAD_S = 600;

function decode(part: string | undefined): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(Buffer.from(part ?? '', 'base64url').toString('utf8'));
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    throw new Refused(401, 'A JSON web token could not be decoded');
  }
}

/** Throws GitHub's 401 when the token would not be taken. */
export function verifyAppJwt(state: State, jwt: string): void {
  const [head, body, signature, ...rest] = jwt.split('.');
  const header = decode(head);
  const claims = decode(body);
  if (rest.length > 0 || signature === undefined || header['alg'] !== 'RS256') {
    throw new Refused(401, 'A JSON web token could not be decoded');
  }
  const good = verify(
    'RSA-SHA256',
    Buffer.from(`${head ?? ''}.${body ?? ''}`),
    state.app.publicKey,
    Buffer.from(signature, 'base64url'),
  );
  if (!good) throw new Refused(401, 'A JSON web token could not be decoded');
  const now = state.now().getTime() / 1000;
  const { iat, exp, iss } = claims;
  if (typeof iat !== 'number' || iat > now) {
    throw new Refused(
      401,
      "'Issued at' claim ('iat') must be an Integer representing the time that the assertion was issued",
    );
  }
  if (typeof exp !== 'number' || exp <= now)
    throw new Refused(
      401,
      "'Expiration time' claim ('exp') must be a numeric value representing the future time at which the assertion expires",
    );
  if (exp > now + MAX_AHEAD_S)
    throw new Refused(401, "'Expiration time' claim ('exp') is too far in the future");
  if (String(iss) !== String(state.app.id) && String(iss) !== `Iv23li${state.app.id}`)
    throw new Refused(401, 'Integration not found');
}
