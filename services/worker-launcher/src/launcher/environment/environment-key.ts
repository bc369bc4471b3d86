/**
 * The name under which an environment is kept: everything on which its content may depend. Two runs share one only if they
 * would have made the same, on the same branch of the same repository.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Environment } from '@sallyport/teams/environment/environment';

export interface KeyParts {
  repositoryId: number;
  /**
   * The branch whose commit is trusted. The commands read more of the tree than the lockfiles: on another branch somebody
   * could prepare, under the same lockfiles, what this one is given.
   */
  baseRef: string;
  environment: Environment;
  /** In the order of the environment; null for one that is not there. */
  lockfiles: readonly { path: string; sha256: string | null }[];
  registries: readonly { name: string; directory: string }[];
  /** Where the commands run: `hostIdentity`. */
  host: readonly string[];
}

/** 64 hexadecimal digits. */
export function environmentKey(parts: KeyParts): string {
  const { commands, env, produces } = parts.environment;
  const content = [
    'environment 1',
    parts.repositoryId,
    parts.baseRef,
    commands,
    Object.entries(env).toSorted(([a], [b]) => (a < b ? -1 : 1)),
    produces,
    parts.lockfiles.map(({ path, sha256 }) => [path, sha256]),
    parts.registries.map(({ name, directory }) => [name, directory]),
    parts.host,
  ];
  return createHash('sha256').update(JSON.stringify(content)).digest('hex');
}

/**
 * What programs a sandbox has: what is installed natively fits no others. Those of an image, or of this host where a
 * sandbox has the host's own.
 */
export function hostIdentity(driver: string, image: string | undefined): string[] {
  if (image !== undefined) return [driver, process.arch, image];
  return [driver, process.arch, process.version, readRelease()];
}

function readRelease(): string {
  try {
    return readFileSync('/etc/os-release', 'utf8');
  } catch {
    // Distributions without it are told apart by nothing better.
    return '';
  }
}
