/** Signs tickets. Only the gate holds the private key that this needs. */
import { createHash, createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import { SignJWT } from 'jose';
import { AppError } from '../errors.ts';
import { TicketClaimsSchema, TICKET_TYPE, type TicketClaims } from './claims.ts';

export interface TicketSigner {
  kid: string;
  sign(claims: TicketClaims): Promise<string>;
}

/**
 * A signer from an Ed25519 private key in PEM.
 * @throws AppError `bad_config` for any other key.
 */
export function createTicketSigner(pem: string): TicketSigner {
  const key = readKey(() => createPrivateKey(pem), 'private');
  const kid = keyIdOf(createPublicKey(key));
  return {
    kid,
    sign: (claims) =>
      new SignJWT(TicketClaimsSchema.parse(claims))
        .setProtectedHeader({ alg: 'EdDSA', typ: TICKET_TYPE, kid })
        .sign(key),
  };
}

/** The id of a ticket key: the start of the SHA-256 of its public half. Two keys live while one replaces the other. */
export function keyIdOf(publicKey: KeyObject): string {
  const der = publicKey.export({ type: 'spki', format: 'der' });
  return createHash('sha256').update(der).digest('hex').slice(0, 16);
}

/** Reads a key and insists on Ed25519. */
export function readKey(read: () => KeyObject, half: 'private' | 'public'): KeyObject {
  let key: KeyObject;
  try {
    key = read();
  } catch (cause) {
    throw new AppError(
      'bad_config',
      `the ticket ${half} key is no PEM key; give an Ed25519 key in PEM`,
      { cause },
    );
  }
  if (key.asymmetricKeyType !== 'ed25519') {
    throw new AppError(
      'bad_config',
      `the ticket ${half} key is ${key.asymmetricKeyType}; give an Ed25519 key`,
    );
  }
  return key;
}
