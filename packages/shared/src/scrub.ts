/**
 * Removes credential shapes from text that is about to leave a process: GitHub tokens in both formats, PEM blocks, signed
 * tokens, model and cloud keys, passwords in URLs. Over-matching is harmless here; under-matching is a leak.
 */

const SHAPES: readonly RegExp[] = [
  // The stateless format carries an app id and a signed token, with dots; the old one is 36 letters and digits.
  /gh[opusr]_[A-Za-z0-9._-]{16,}/g,
  /github_pat_[A-Za-z0-9_]{20,}/g,
  /-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z0-9 ]*PRIVATE KEY-----|$)/g,
  /eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*/g,
  /sk-[A-Za-z0-9_-]{16,}/g,
  /xai-[A-Za-z0-9_-]{16,}/g,
  /AIza[A-Za-z0-9_-]{30,}/g,
  /(?:AKIA|ASIA)[A-Z0-9]{16}/g,
];
const URL_PASSWORD = /(\b[a-z][a-z0-9+.-]*:\/\/[^\s:/@"']*:)[^\s@/"']+@/gi;

/** The text with every credential shape replaced by `[redacted]`. */
export function scrubSecrets(text: string): string {
  let clean = text;
  for (const shape of SHAPES) clean = clean.replace(shape, '[redacted]');
  return clean.replace(URL_PASSWORD, '$1[redacted]@');
}
