/**
 * The secrets of a deployment on one machine: made once from the system's randomness, kept as files that only their owner
 * can read (0600 in a 0700 directory), and never printed. Processes get the names of these files, not what is in them.
 */
import { createPrivateKey, createPublicKey, generateKeyPairSync, randomBytes } from 'node:crypto';
import {
  chmodSync,
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';

/** Absolute paths of the files, by what is in them. */
export interface SecretFiles {
  readonly webhookSecret: string;
  /** Ed25519 in PEM (PKCS #8); the gate's alone. */
  readonly ticketPrivateKey: string;
  /** Its public half in PEM (SPKI), for everyone who verifies tickets. */
  readonly ticketPublicKey: string;
  readonly operatorToken: string;
  readonly databaseAdminPassword: string;
  readonly redisAdminPassword: string;
}

/** Makes those secrets that `dir` does not have yet, and returns where all of them are. Two callers at once get the same. */
export function ensureSecrets(dir: string): SecretFiles {
  const ticketPrivateKey = ensureSecret(dir, 'ticket-private-key.pem', newTicketKey);
  return {
    ticketPrivateKey,
    // Derived, so that a pair of different ages cannot lie here.
    ticketPublicKey: writeSecret(
      dir,
      'ticket-public-key.pem',
      publicHalf(readFileSync(ticketPrivateKey, 'utf8')),
    ),
    webhookSecret: ensureSecret(dir, 'webhook-secret', randomSecret),
    operatorToken: ensureSecret(dir, 'operator-token', randomSecret),
    databaseAdminPassword: ensureSecret(dir, 'database-admin-password', randomSecret),
    redisAdminPassword: ensureSecret(dir, 'redis-admin-password', randomSecret),
  };
}

/** 32 random bytes as 43 letters, digits, `-` and `_`: safe in URLs, YAML and shells. */
export function randomSecret(): string {
  return randomBytes(32).toString('base64url');
}

/** The path of the named secret in `dir`, made by `make` when it is not there; an existing one is never replaced. */
export function ensureSecret(dir: string, name: string, make: () => string): string {
  prepare(dir);
  const path = join(dir, name);
  const making = temporaryName(path);
  writeFileSync(making, make(), { mode: 0o600, flag: 'wx' });
  try {
    // A link fails when the name is taken: whoever comes second keeps the first one's secret, whole.
    linkSync(making, path);
  } catch (error) {
    if (!isAlreadyThere(error)) throw error;
  } finally {
    rmSync(making, { force: true });
  }
  return path;
}

/** Writes the named secret to `dir`, replacing an older one whole, and returns its path. */
export function writeSecret(dir: string, name: string, value: string): string {
  prepare(dir);
  const path = join(dir, name);
  const making = temporaryName(path);
  writeFileSync(making, value, { mode: 0o600, flag: 'wx' });
  renameSync(making, path);
  return path;
}

function prepare(dir: string): void {
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  chmodSync(dir, 0o700);
}

function temporaryName(path: string): string {
  return `${path}.${randomBytes(6).toString('hex')}`;
}

function isAlreadyThere(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EEXIST';
}

function newTicketKey(): string {
  return generateKeyPairSync('ed25519')
    .privateKey.export({ type: 'pkcs8', format: 'pem' })
    .toString();
}

function publicHalf(pem: string): string {
  return createPublicKey(createPrivateKey(pem)).export({ type: 'spki', format: 'pem' }).toString();
}
