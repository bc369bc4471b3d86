/** Rulesets and classic protection as GitHub shows them to an App. */
import type { State } from '../state/state.ts';
import { classicFor, rulesFor } from '../state/rules.ts';
import type { ClassicProtection, Repo, Ruleset } from '../state/types.ts';
import { appView } from './app-view.ts';
import { apiUrl, nodeId, timestamp, type Json } from './common.ts';
import { repoApiUrl, repoPageUrl } from './repository-view.ts';

export function rulesetView(state: State, repo: Repo, ruleset: Ruleset, whole: boolean): Json {
  const self = `${repoApiUrl(state, repo)}/rulesets/${ruleset.id}`;
  const summary = {
    id: ruleset.id,
    name: ruleset.name,
    target: ruleset.target,
    source_type: ruleset.sourceType,
    source: ruleset.source,
    enforcement: ruleset.enforcement,
    node_id: nodeId('RepositoryRuleset', ruleset.id),
    _links: {
      self: { href: self },
      html: { href: `${repoPageUrl(state, repo)}/rules/${ruleset.id}` },
    },
    created_at: timestamp(repo.createdAt),
    updated_at: timestamp(repo.createdAt),
  };
  if (!whole) return summary;
  // `bypass_actors` is only for callers who may write the ruleset, and an App like ours may not.
  return {
    ...summary,
    conditions: { ref_name: { include: ruleset.include, exclude: ruleset.exclude } },
    rules: ruleset.rules,
    current_user_can_bypass: ruleset.bypass,
  };
}

/** The active rules for a branch, each with the ruleset that it comes from; the branch need not exist. */
export function branchRulesView(repo: Repo, branch: string): Json[] {
  return rulesFor(repo, `refs/heads/${branch}`).map(({ rule, ruleset }) => ({
    ...rule,
    ruleset_source_type: ruleset.sourceType,
    ruleset_source: ruleset.source,
    ruleset_id: ruleset.id,
  }));
}

/** The short form inside `GET branch`: readable without the administration permission, and it says very little. */
export function branchSummaryView(repo: Repo, branch: string): Json {
  const classic = classicFor(repo, branch);
  const checks = classic?.checks ?? null;
  return {
    enabled: classic !== undefined,
    required_status_checks: {
      enforcement_level:
        checks === null ? 'off' : classic?.enforceAdmins ? 'everyone' : 'non_admins',
      contexts: (checks ?? []).map((check) => check.context),
      checks: (checks ?? []).map((check) => ({ context: check.context, app_id: check.appId })),
    },
  };
}

function reviewsView(
  state: State,
  url: string,
  reviews: NonNullable<ClassicProtection['reviews']>,
): Json {
  const allowances =
    reviews.bypassApps.length === 0
      ? {}
      : {
          bypass_pull_request_allowances: {
            users: [],
            teams: [],
            apps: reviews.bypassApps.map((slug) => ({ ...appView(state), slug })),
          },
        };
  return {
    url: `${url}/required_pull_request_reviews`,
    dismiss_stale_reviews: reviews.dismissStale,
    require_code_owner_reviews: reviews.codeOwners,
    required_approving_review_count: reviews.count,
    require_last_push_approval: reviews.lastPush,
    ...allowances,
  };
}

export function classicView(
  state: State,
  repo: Repo,
  branch: string,
  protection: ClassicProtection,
): Json {
  const url = `${repoApiUrl(state, repo)}/branches/${encodeURIComponent(branch)}/protection`;
  const { reviews, checks, restrictApps } = protection;
  return {
    url,
    ...(checks === null
      ? {}
      : {
          required_status_checks: {
            url: `${url}/required_status_checks`,
            strict: protection.strictChecks,
            contexts: checks.map((check) => check.context),
            contexts_url: `${url}/required_status_checks/contexts`,
            checks: checks.map((check) => ({ context: check.context, app_id: check.appId })),
          },
        }),
    ...(reviews === null
      ? {}
      : { required_pull_request_reviews: reviewsView(state, url, reviews) }),
    ...(restrictApps === null
      ? {}
      : {
          restrictions: {
            url: `${url}/restrictions`,
            users_url: `${url}/restrictions/users`,
            teams_url: `${url}/restrictions/teams`,
            apps_url: `${url}/restrictions/apps`,
            users: [],
            teams: [],
            apps: restrictApps.map((slug) => ({
              slug,
              name: slug,
              html_url: `${apiUrl(state)}/apps/${slug}`,
            })),
          },
        }),
    enforce_admins: { url: `${url}/enforce_admins`, enabled: protection.enforceAdmins },
    required_signatures: { url: `${url}/required_signatures`, enabled: false },
    required_linear_history: { enabled: false },
    allow_force_pushes: { enabled: protection.allowForcePushes },
    allow_deletions: { enabled: protection.allowDeletions },
    block_creations: { enabled: false },
    required_conversation_resolution: { enabled: false },
    lock_branch: { enabled: protection.lockBranch },
    allow_fork_syncing: { enabled: false },
  };
}
