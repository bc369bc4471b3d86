/** Builders for rules, classic protection, and the installation's own state. */
import { AppError } from '@sallyport/shared/errors';
import { applyPreset, type ProtectionPreset } from '../state/protection-presets.ts';
import { fullNameOf, repoOf, type RepoRef, type State } from '../state/state.ts';
import type { ClassicProtection, Installation, Permissions, Ruleset } from '../state/types.ts';
import type { SetRuleset } from '../verbs.ts';

export function setProtection(state: State, ref: RepoRef, preset: ProtectionPreset): void {
  applyPreset(state, repoOf(state, ref), preset);
}

/** Adds a ruleset, or replaces the one with the given id; gives its id. */
export function setRuleset(state: State, input: SetRuleset): number {
  const repo = repoOf(state, input.repo);
  const id = input.id ?? state.nextId('ruleset');
  const before = repo.rulesets.get(id);
  const ruleset: Ruleset = {
    id,
    name: input.name ?? before?.name ?? `ruleset ${id}`,
    target: input.target ?? before?.target ?? 'branch',
    sourceType: input.sourceType ?? before?.sourceType ?? 'Repository',
    source:
      input.sourceType === 'Organization'
        ? (fullNameOf(state, repo).split('/')[0] ?? '')
        : fullNameOf(state, repo),
    enforcement: input.enforcement ?? before?.enforcement ?? 'active',
    include: input.include ?? before?.include ?? ['~DEFAULT_BRANCH'],
    exclude: input.exclude ?? before?.exclude ?? [],
    rules: input.rules,
    bypass: input.bypass ?? before?.bypass ?? 'never',
  };
  repo.rulesets.set(id, ruleset);
  return id;
}

export function removeRuleset(state: State, ref: RepoRef, id: number): void {
  if (!repoOf(state, ref).rulesets.delete(id))
    throw new AppError('not_found', `finding ruleset ${id}`);
}

/** null takes the classic protection of the branch (or pattern) away. */
export function setClassicProtection(
  state: State,
  ref: RepoRef,
  branch: string,
  protection: ClassicProtection | null,
): void {
  const repo = repoOf(state, ref);
  if (protection === null) repo.classic.delete(branch);
  else repo.classic.set(branch, protection);
}

function installationOf(state: State, id: number): Installation {
  const installation = state.installations.get(id);
  if (!installation) throw new AppError('not_found', `finding installation ${id}`);
  return installation;
}

export interface SetInstallation {
  readonly suspended?: boolean;
  readonly permissions?: Permissions;
  /** null: all repositories of the account. */
  readonly repositories?: readonly RepoRef[] | null;
}

export function setInstallation(state: State, id: number, change: SetInstallation): void {
  const installation = installationOf(state, id);
  if (change.suspended !== undefined)
    installation.suspendedAt = change.suspended ? state.now() : null;
  if (change.permissions !== undefined) installation.permissions = change.permissions;
  if (change.repositories !== undefined) {
    const chosen = change.repositories?.map((ref) => repoOf(state, ref).id) ?? null;
    installation.repositoryIds = chosen === null ? null : new Set(chosen);
  }
}

/** Uninstalls the App. */
export function uninstall(state: State, id: number): void {
  installationOf(state, id).deleted = true;
}

/** Uninstalls and installs again: the old id is gone, and the new one is given. */
export function reinstall(state: State, id: number): number {
  const old = installationOf(state, id);
  old.deleted = true;
  const next = state.nextId('installation');
  state.installations.set(next, { ...old, id: next, deleted: false, suspendedAt: null });
  return next;
}
