/**
 * GitHub's signature: HMAC-SHA256 over the raw bytes, fed as they arrive, so that 25 MiB never hold the event loop in one
 * piece. Every secret is computed and compared in constant time, whichever matches.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';

export interface SignatureCheck {
  update(chunk: Buffer): void;
  /** Whether the bytes so far carry this signature (32 bytes) under one of the secrets. Ends the check. */
  matches(signature: Buffer): boolean;
}

/** Begins a check against the secrets that are in force: the current one, and while it rotates the previous one. */
export function beginSignatureCheck(secrets: readonly string[]): SignatureCheck {
  const macs = secrets.map((secret) => createHmac('sha256', secret));
  return {
    update(chunk) {
      for (const mac of macs) mac.update(chunk);
    },
    matches(signature) {
      const results = macs.map((mac) => {
        const digest = mac.digest();
        return digest.length === signature.length && timingSafeEqual(digest, signature);
      });
      return results.includes(true);
    },
  };
}
