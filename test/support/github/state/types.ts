/**
 * What the stand-in remembers. Everything that two faces must agree on (REST, git, deliveries) is one record here, so
 * that a comment read over REST and the same comment inside a delivery can never differ.
 */
import type { KeyObject } from 'node:crypto';

export const ROLES = ['admin', 'maintain', 'write', 'triage', 'read', 'none'] as const;
export type Role = (typeof ROLES)[number];

export type Access = 'read' | 'write' | 'admin';
export type Permissions = Readonly<Record<string, Access>>;

export interface User {
  readonly id: number;
  readonly login: string;
  readonly type: 'User' | 'Bot' | 'Organization';
  readonly createdAt: Date;
}

export interface Label {
  readonly id: number;
  readonly name: string;
  readonly color: string;
  readonly description: string | null;
}

export interface Comment {
  readonly id: number;
  readonly issueNumber: number;
  /** null: the account was deleted ("ghost"). */
  userId: number | null;
  body: string;
  readonly createdAt: Date;
  updatedAt: Date;
  readonly viaApp: boolean;
}

export interface IssueEvent {
  readonly id: number;
  readonly issueNumber: number;
  readonly event: string;
  readonly actorId: number;
  readonly label: Label | null;
  readonly createdAt: Date;
  readonly viaApp: boolean;
}

export interface Review {
  readonly id: number;
  readonly userId: number;
  readonly body: string;
  readonly state: string;
  readonly commitId: string;
  readonly submittedAt: Date;
}

export interface ReviewComment {
  readonly id: number;
  readonly reviewId: number | null;
  readonly userId: number;
  readonly body: string;
  readonly path: string;
  readonly line: number | null;
  readonly startLine: number | null;
  readonly side: 'LEFT' | 'RIGHT';
  readonly commitId: string;
  readonly inReplyTo: number | null;
  readonly createdAt: Date;
}

export interface Pull {
  headRepoId: number | null;
  readonly headLabelOwner: string;
  headRef: string;
  headSha: string;
  baseRef: string;
  baseSha: string;
  draft: boolean;
  mergedAt: Date | null;
  autoMerge: boolean;
  readonly reviews: Review[];
  readonly reviewComments: ReviewComment[];
}

export interface Issue {
  readonly id: number;
  readonly number: number;
  title: string;
  body: string | null;
  userId: number | null;
  state: 'open' | 'closed';
  locked: boolean;
  readonly labels: Label[];
  readonly createdAt: Date;
  updatedAt: Date;
  closedAt: Date | null;
  readonly viaApp: boolean;
  readonly pull: Pull | null;
}

export type Bypass = 'always' | 'pull_requests_only' | 'never' | 'exempt';

export interface Rule {
  readonly type: string;
  readonly parameters?: Readonly<Record<string, unknown>>;
}

export interface Ruleset {
  readonly id: number;
  readonly name: string;
  readonly target: 'branch' | 'tag' | 'push';
  readonly sourceType: 'Repository' | 'Organization';
  readonly source: string;
  readonly enforcement: 'active' | 'evaluate' | 'disabled';
  readonly include: readonly string[];
  readonly exclude: readonly string[];
  readonly rules: readonly Rule[];
  /** What `current_user_can_bypass` says to our App's tokens; `always` and `exempt` also hold for its pushes. */
  readonly bypass: Bypass;
}

/** Classic branch protection, in the words of GitHub's reply. */
export interface ClassicProtection {
  readonly reviews: {
    readonly count: number;
    readonly dismissStale: boolean;
    readonly codeOwners: boolean;
    readonly lastPush: boolean;
    readonly bypassApps: readonly string[];
  } | null;
  readonly checks: readonly { readonly context: string; readonly appId: number | null }[] | null;
  readonly strictChecks: boolean;
  readonly enforceAdmins: boolean;
  readonly restrictApps: readonly string[] | null;
  readonly allowForcePushes: boolean;
  readonly allowDeletions: boolean;
  readonly lockBranch: boolean;
}

export interface Repo {
  readonly id: number;
  ownerId: number;
  name: string;
  readonly description: string | null;
  isPrivate: boolean;
  readonly forkOf: number | null;
  archived: boolean;
  deleted: boolean;
  defaultBranch: string;
  /** False: GitHub answers questions about rules with "Upgrade to GitHub Pro" (a private repository on a free plan). */
  rulesReadable: boolean;
  readonly gitDir: string;
  readonly createdAt: Date;
  pushedAt: Date;
  nextNumber: number;
  readonly roles: Map<number, Role>;
  readonly issues: Map<number, Issue>;
  readonly comments: Map<number, Comment>;
  readonly events: Map<number, IssueEvent>;
  readonly labels: Map<string, Label>;
  readonly rulesets: Map<number, Ruleset>;
  readonly classic: Map<string, ClassicProtection>;
  readonly codeownersErrors: Record<string, unknown>[];
  /** Commits that GitHub itself signed because the App made them without naming an author. */
  readonly signed: Set<string>;
}

export interface Installation {
  readonly id: number;
  readonly accountId: number;
  permissions: Permissions;
  readonly events: readonly string[];
  /** null: all repositories of the account. */
  repositoryIds: Set<number> | null;
  suspendedAt: Date | null;
  deleted: boolean;
  readonly createdAt: Date;
}

export interface Token {
  readonly id: number;
  readonly value: string;
  readonly installationId: number;
  readonly permissions: Permissions;
  /** null: every repository of the installation. */
  readonly repositoryIds: readonly number[] | null;
  readonly mintedAt: Date;
  readonly expiresAt: Date;
  revokedAt: Date | null;
}

export interface App {
  readonly id: number;
  readonly slug: string;
  readonly ownerId: number;
  readonly botId: number;
  readonly publicKey: KeyObject;
  readonly permissions: Permissions;
  readonly createdAt: Date;
}

export interface HookConfig {
  url: string | null;
  contentType: 'json' | 'form';
  secret: string;
  echoEvents: boolean;
}

export interface Push {
  readonly at: Date;
  readonly repoId: number;
  readonly fullName: string;
  /** null: a push over REST (git/refs). */
  readonly via: 'git' | 'rest';
  readonly tokenId: number | null;
  readonly permissions: Permissions;
  readonly commands: readonly {
    readonly ref: string;
    readonly before: string;
    readonly after: string;
    readonly ok: boolean;
  }[];
  readonly refusal: string | null;
}

export interface Violation {
  readonly at: Date;
  readonly request: string;
  readonly problem: string;
  readonly detail: unknown;
}

export interface RecordedRequest {
  readonly at: Date;
  readonly face: 'rest' | 'graphql' | 'git' | 'unknown';
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly auth: 'none' | 'invalid' | 'jwt' | 'token';
  readonly tokenId: number | null;
  readonly permissions: Permissions | null;
  readonly body: unknown;
  status: number | null;
  /** True when a fault cut the connection, so that the caller saw no whole reply. */
  cut: boolean;
  /** From the request's head to the end of the reply; 0 while it is being answered. */
  durationMs: number;
}
