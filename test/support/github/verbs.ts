/**
 * The words that both ways of driving the stand-in share: the object in the same process and the client in another.
 * Everything here goes through JSON unharmed, save patterns and bytes, which the client carries over.
 */
import type { Fault } from './http/faults.ts';
import type { DeliverOptions } from './hooks/deliver.ts';
import type { Files } from './git/seed.ts';
import type { ProtectionPreset } from './state/protection-presets.ts';
import type { RepoRef } from './state/state.ts';
import type { Bypass, ClassicProtection, Permissions, Role, Rule } from './state/types.ts';

export type { DeliverOptions, Fault, Files, ProtectionPreset, RepoRef };

export interface AddUser {
  readonly login: string;
  readonly id?: number;
  readonly type?: 'User' | 'Bot' | 'Organization';
}

export interface AddRepo {
  readonly owner: string;
  readonly name: string;
  readonly id?: number;
  readonly files?: Files;
  readonly defaultBranch?: string;
  readonly private?: boolean;
  readonly description?: string;
  readonly protection?: ProtectionPreset;
  /** `owner/name` or id of the repository that this one is a fork of; it starts with that one's branches. */
  readonly forkOf?: RepoRef;
  /** login → role. */
  readonly permissions?: Readonly<Record<string, Role>>;
}

export interface RepoHandle {
  readonly id: number;
  readonly owner: string;
  readonly name: string;
  readonly fullName: string;
  readonly defaultBranch: string;
  readonly headSha: string;
  readonly gitDir: string;
  readonly cloneUrl: string;
  readonly installationId: number | null;
}

export interface AddIssue {
  readonly repo: RepoRef;
  readonly title: string;
  readonly body?: string | null;
  readonly by: string;
  readonly labels?: readonly string[];
}

export interface AddComment {
  readonly repo: RepoRef;
  /** The number of an issue or of a pull request. */
  readonly issue: number;
  readonly body: string;
  readonly by: string;
}

export interface AddLabel {
  readonly repo: RepoRef;
  readonly issue: number;
  readonly label: string;
  readonly by: string;
}

export interface AddCommit {
  readonly repo: RepoRef;
  readonly branch: string;
  readonly files: Files;
  readonly message?: string;
  /** The branch or SHA to start from when the branch does not exist yet; default: the default branch. */
  readonly from?: string;
  readonly by?: string;
}

export interface AddPull {
  readonly repo: RepoRef;
  /** The branch; in `headRepo` when given. */
  readonly head: string;
  readonly headRepo?: RepoRef;
  readonly base?: string;
  readonly title: string;
  readonly body?: string | null;
  readonly by: string;
  readonly draft?: boolean;
}

export interface SetRuleset {
  readonly repo: RepoRef;
  /** Given: that ruleset is replaced. */
  readonly id?: number;
  readonly name?: string;
  readonly target?: 'branch' | 'tag' | 'push';
  readonly enforcement?: 'active' | 'evaluate' | 'disabled';
  readonly sourceType?: 'Repository' | 'Organization';
  readonly include?: readonly string[];
  readonly exclude?: readonly string[];
  readonly rules: readonly Rule[];
  readonly bypass?: Bypass;
}

export interface IssueCommentPayload {
  readonly repo: RepoRef;
  /** The id that `comment()` gave. */
  readonly comment: number;
  readonly action?: 'created' | 'edited' | 'deleted';
  /** The body before an edit: becomes `changes.body.from`. */
  readonly from?: string;
  /** login; default: the comment's author. */
  readonly sender?: string;
}

export interface IssuePayload {
  readonly repo: RepoRef;
  readonly issue: number;
  readonly action: string;
  readonly label?: string;
  readonly sender: string;
}

export interface PullPayload {
  readonly repo: RepoRef;
  readonly pull: number;
  readonly action: string;
  readonly label?: string;
  readonly sender: string;
}

/** Any event at all, made from GitHub's example of it. */
export interface AnyPayload {
  readonly repo: RepoRef;
  readonly event: string;
  readonly action?: string;
  /** login; null: the account is gone. */
  readonly sender: string | null;
  /** The event's own objects, laid over the example's. */
  readonly fields?: Readonly<Record<string, unknown>>;
}

export interface SetHook {
  readonly url?: string | null;
  readonly contentType?: 'json' | 'form';
  readonly secret?: string;
  readonly echoEvents?: boolean;
}

export interface TokenFacts {
  readonly id: number;
  readonly value: string;
  readonly installationId: number;
  readonly permissions: Permissions;
  readonly repositoryIds: readonly number[] | null;
  readonly mintedAt: Date;
  readonly expiresAt: Date;
  readonly revokedAt: Date | null;
}

export type { Bypass, ClassicProtection, Permissions, Role, Rule };
