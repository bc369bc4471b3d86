/** What a scan for secrets answers and takes; apart from the scanners so that each can name it. */

export interface SecretHit {
  kind: string;
  /** Where the text to hide begins and ends, in UTF-16 units of the text that was scanned. */
  start: number;
  end: number;
  /** The known prefix of such secrets, never a part of the random rest; empty when there is none. */
  shown: string;
}

export interface SecretOptions {
  /** Fake credentials planted in the sandbox. */
  canaries?: readonly string[];
  /** SHA-256 (hex) of exact values that are no secrets. */
  allowHashes?: readonly string[];
}

/** The kind of a hit on a planted credential. */
export const CANARY_KIND = 'canary';
