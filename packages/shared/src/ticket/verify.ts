/**
 * Checks tickets with locally known keys. The key is chosen by `kid` from our own list and never fetched: a header that
 * names a URL is ignored. Whoever acts on a ticket calls this at every use, and checks its standing in the database too.
 */
import { createPublicKey, type KeyObject } from 'node:crypto';
import { decodeProtectedHeader, jwtVerify } from 'jose';
import type { Clock } from '../clock.ts';
import { AppError } from '../errors.ts';
import {
  TICKET_ISSUER,
  TICKET_TYPE,
  TicketClaimsSchema,
  type TicketAudience,
  type TicketClaims,
} from './claims.ts';
import { keyIdOf, readKey } from './sign.ts';

export type TicketKeys = ReadonlyMap<string, KeyObject>;

/** The public keys in a file of one or more PEM blocks. @throws AppError `bad_config`. */
export function readTicketKeys(pems: string): TicketKeys {
  const blocks = pems.match(/-----BEGIN PUBLIC KEY-----[\s\S]+?-----END PUBLIC KEY-----/g) ?? [];
  if (blocks.length === 0) {
    throw new AppError(
      'bad_config',
      'no ticket public key found; give one or two PEM blocks "PUBLIC KEY"',
    );
  }
  const keys = blocks.map((pem) => readKey(() => createPublicKey(pem), 'public'));
  return new Map(keys.map((key) => [keyIdOf(key), key]));
}

/**
 * The claims of a valid ticket for this audience.
 * @throws AppError `ticket_invalid` with `detail.why` one of: malformed, unknown_key, signature, expired, claims.
 */
export async function verifyTicket(
  token: string,
  keys: TicketKeys,
  audience: TicketAudience,
  clock: Clock,
): Promise<TicketClaims> {
  if (token.length > 8192) refuse('malformed');
  let kid: string | undefined;
  try {
    kid = decodeProtectedHeader(token).kid;
  } catch (cause) {
    refuse('malformed', cause);
  }
  const key = kid === undefined ? undefined : keys.get(kid);
  if (key === undefined) refuse('unknown_key');
  let payload: unknown;
  try {
    const verified = await jwtVerify(token, key, {
      algorithms: ['EdDSA'],
      issuer: TICKET_ISSUER,
      audience,
      typ: TICKET_TYPE,
      requiredClaims: ['jti', 'iat', 'exp'],
      currentDate: clock.now(),
      clockTolerance: 5,
    });
    payload = verified.payload;
  } catch (cause) {
    const code = (cause as { code?: string }).code;
    refuse(
      code === 'ERR_JWT_EXPIRED'
        ? 'expired'
        : code === 'ERR_JWT_CLAIM_VALIDATION_FAILED'
          ? 'claims'
          : 'signature',
      cause,
    );
  }
  const claims = TicketClaimsSchema.safeParse(payload);
  if (!claims.success) refuse('claims', claims.error);
  return claims.data;
}

function refuse(why: string, cause?: unknown): never {
  throw new AppError('ticket_invalid', `the ticket is refused: ${why}`, { cause, detail: { why } });
}
