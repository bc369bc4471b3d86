/**
 * The fingerprint of what a step may do. A loop that comes back, a retry and a resume must start under the same policy; what
 * is weaker cannot be told from a difference alone, so any difference is refused.
 */
import { createHash } from 'node:crypto';
import { AppError } from '@sallyport/shared/errors';
import type { AdapterFile } from './adapter.ts';
import type { EffectiveRestriction } from './restrictions.ts';

/** What the mount layer gives a step. Paths of the host do not belong here: they differ between attempts and permit nothing. */
export interface PolicyMount {
  role: string;
  target: string;
  /** Such as `read_only`, `read_write`, `throw_away`. */
  access: string;
}

export interface EffectivePolicy {
  restriction: EffectiveRestriction;
  argv: readonly string[];
  env: Readonly<Record<string, string>>;
  files: readonly AdapterFile[];
  promptSentences: readonly string[];
  mounts: readonly PolicyMount[];
  /** Whatever else bounds the step, such as network and limits. */
  further?: Readonly<Record<string, unknown>>;
}

/** SHA-256, in hexadecimal, over all of it; the order of variables and mounts makes no difference. */
export function hashEffectivePolicy(policy: EffectivePolicy): string {
  const mounts = policy.mounts
    .map(({ role, target, access }) => [target, role, access])
    .toSorted((a, b) => (a.join('\0') < b.join('\0') ? -1 : 1));
  const canonical = {
    restriction: policy.restriction,
    argv: policy.argv,
    env: Object.entries(policy.env).toSorted(([a], [b]) => (a < b ? -1 : 1)),
    files: policy.files.map(({ path, content }) => [path, content]),
    promptSentences: policy.promptSentences,
    mounts,
    further: Object.entries(policy.further ?? {}).toSorted(([a], [b]) => (a < b ? -1 : 1)),
  };
  return createHash('sha256').update(JSON.stringify(canonical)).digest('hex');
}

/**
 * Refuses to start a visit under another policy than the node's earlier ones.
 * @throws AppError `forbidden` that names the node and both hashes.
 */
export function requireSamePolicy(node: string, earlier: readonly string[], now: string): void {
  const other = earlier.find((hash) => hash !== now);
  if (other === undefined) return;
  throw new AppError(
    'forbidden',
    `node ${node} would start under the policy ${now.slice(0, 12)}, but ran under ${other.slice(0, 12)} before; a step may not come back under another policy`,
    { detail: { node, earlier: other, now } },
  );
}
