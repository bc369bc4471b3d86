/**
 * The floor of what counts as a secret by its shape. Each pattern begins with a literal and repeats only one class after
 * it, so a line of any length is read in time that grows with its length.
 */

export interface SecretShape {
  kind: string;
  pattern: RegExp;
  /** Characters of the match that may be shown: the fixed prefix, which everybody knows. */
  shown: number;
}

export const SECRET_SHAPES: readonly SecretShape[] = [
  // Both formats: 36 letters and digits, and since 2026 an app id with a signed token, dots included.
  { kind: 'github_token', pattern: /gh[opusr]_[A-Za-z0-9._-]{30,}/g, shown: 4 },
  { kind: 'github_fine_grained_token', pattern: /github_pat_\w{20,}/g, shown: 11 },
  {
    kind: 'private_key',
    pattern: /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g,
    shown: 11,
  },
  {
    kind: 'aws_access_key',
    pattern: /(?<![A-Z0-9])(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Z0-9])/g,
    shown: 4,
  },
  { kind: 'stripe_key', pattern: /[sr]k_live_[A-Za-z0-9]{16,}/g, shown: 8 },
  { kind: 'anthropic_key', pattern: /sk-ant-[A-Za-z0-9_-]{20,}/g, shown: 7 },
  { kind: 'openai_key', pattern: /sk-(?:proj|svcacct|admin)-[A-Za-z0-9_-]{20,}/g, shown: 8 },
  { kind: 'npm_token', pattern: /npm_[A-Za-z0-9]{36}/g, shown: 4 },
  { kind: 'slack_token', pattern: /xox[abeoprs]-[A-Za-z0-9-]{16,}/g, shown: 5 },
  { kind: 'google_api_key', pattern: /AIza[A-Za-z0-9_-]{35}/g, shown: 4 },
  { kind: 'gitlab_token', pattern: /glpat-[A-Za-z0-9_-]{20,}/g, shown: 6 },
];

/** The key that Amazon prints in its manuals. */
export const DOCUMENTATION_VALUES: ReadonlySet<string> = new Set(['AKIAIOSFODNN7EXAMPLE']);
