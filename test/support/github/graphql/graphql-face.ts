/**
 * The few questions that only GraphQL answers: what our token itself could do to a branch or a pull request. Queries run
 * against GitHub's own schema, so a misspelt field fails here as it would there.
 */
import { schema as published } from '@octokit/graphql-schema';
import {
  buildClientSchema,
  graphql,
  type GraphQLFieldResolver,
  type GraphQLSchema,
  type IntrospectionQuery,
} from 'graphql';
import { coversRepository, includesAccess } from '../app/tokens.ts';
import { authenticate } from '../http/authenticate.ts';
import { Refused, ok, type Reply } from '../http/reply.ts';
import { tokenPermissions, type Actor } from '../http/route.ts';
import { listRefs, readRef } from '../git/refs.ts';
import { classicFor, isProtected, rulesFor } from '../state/rules.ts';
import { findRepo, fullNameOf, recordViolation, userById, type State } from '../state/state.ts';
import type { Issue, RecordedRequest, Repo } from '../state/types.ts';
import { nodeId } from '../view/common.ts';

let built: GraphQLSchema | undefined;

/** Built on first use: GitHub's schema is large, and most tests never ask. */
function schema(): GraphQLSchema {
  built ??= buildClientSchema(published.json as unknown as IntrospectionQuery, {
    assumeValid: true,
  });
  return built;
}

function canBypass(state: State, repo: Repo, branch: string): boolean {
  const covering = rulesFor(repo, `refs/heads/${branch}`);
  const classic = classicFor(repo, branch);
  const slug = state.app.slug;
  const byRules =
    covering.length > 0 &&
    covering.every(({ ruleset }) => ruleset.bypass === 'always' || ruleset.bypass === 'exempt');
  return byRules || (classic?.reviews?.bypassApps.includes(slug) ?? false);
}

function updateRule(state: State, repo: Repo, branch: string): Record<string, unknown> | null {
  if (!isProtected(repo, branch)) return null;
  const rules = rulesFor(repo, `refs/heads/${branch}`).map(({ rule }) => rule);
  const classic = classicFor(repo, branch);
  const parameters = rules.find((rule) => rule.type === 'pull_request')?.parameters;
  const blocks =
    parameters !== undefined ||
    rules.some((rule) => rule.type === 'update') ||
    (classic?.reviews ?? null) !== null;
  const count = parameters?.['required_approving_review_count'] ?? classic?.reviews?.count ?? null;
  const owners =
    parameters?.['require_code_owner_review'] === true || classic?.reviews?.codeOwners === true;
  const checks = rules.find((rule) => rule.type === 'required_status_checks')?.parameters?.[
    'required_status_checks'
  ];
  const contexts = Array.isArray(checks)
    ? checks.map((one: Record<string, unknown>) => one['context'])
    : (classic?.checks ?? []).map((one) => one.context);
  return {
    viewerCanPush: !blocks || canBypass(state, repo, branch),
    requiredApprovingReviewCount: count,
    requiresCodeOwnerReviews: owners,
    requiredStatusCheckContexts: contexts,
    allowsForcePushes: classic
      ? classic.allowForcePushes
      : !rules.some((rule) => rule.type === 'non_fast_forward'),
    allowsDeletions: classic
      ? classic.allowDeletions
      : !rules.some((rule) => rule.type === 'deletion'),
    requiresSignatures: rules.some((rule) => rule.type === 'required_signatures'),
    requiresLinearHistory: rules.some((rule) => rule.type === 'required_linear_history'),
    requiresConversationResolution: false,
    blocksCreations: rules.some((rule) => rule.type === 'creation'),
    pattern: branch,
    viewerAllowedToDismissReviews: false,
  };
}

function pullFields(state: State, repo: Repo, issue: Issue): Record<string, unknown> | null {
  const { pull } = issue;
  if (!pull) return null;
  const bypass = canBypass(state, repo, pull.baseRef);
  const blocked = isProtected(repo, pull.baseRef);
  return {
    id: nodeId('PullRequest', issue.id),
    fullDatabaseId: String(issue.id),
    number: issue.number,
    title: issue.title,
    body: issue.body ?? '',
    state: pull.mergedAt ? 'MERGED' : issue.state.toUpperCase(),
    isDraft: pull.draft,
    baseRefName: pull.baseRef,
    baseRefOid: pull.baseSha,
    headRefName: pull.headRef,
    headRefOid: pull.headSha,
    isCrossRepository: pull.headRepoId !== repo.id,
    mergeStateStatus: pull.draft ? 'DRAFT' : blocked ? 'BLOCKED' : 'CLEAN',
    mergeable: 'MERGEABLE',
    reviewDecision: blocked ? 'REVIEW_REQUIRED' : null,
    viewerCanMergeAsAdmin: blocked && bypass,
    viewerCanEnableAutoMerge: blocked,
    autoMergeRequest: null,
  };
}

function repositoryFields(state: State, repo: Repo): Record<string, unknown> {
  return {
    id: nodeId('Repository', repo.id),
    databaseId: repo.id,
    name: repo.name,
    nameWithOwner: fullNameOf(state, repo),
    isPrivate: repo.isPrivate,
    isArchived: repo.archived,
    viewerPermission: 'WRITE',
    defaultBranchRef: async () => refFields(state, repo, `refs/heads/${repo.defaultBranch}`),
    ref: ({ qualifiedName }: { qualifiedName: string }) => refFields(state, repo, qualifiedName),
    pullRequest: ({ number }: { number: number }) => {
      const issue = repo.issues.get(number);
      return issue ? pullFields(state, repo, issue) : null;
    },
  };
}

async function refFields(
  state: State,
  repo: Repo,
  qualifiedName: string,
): Promise<Record<string, unknown> | null> {
  const candidates = qualifiedName.startsWith('refs/')
    ? [qualifiedName]
    : [`refs/heads/${qualifiedName}`, `refs/tags/${qualifiedName}`];
  for (const candidate of candidates) {
    const found = await readRef(repo.gitDir, candidate);
    if (!found) continue;
    const name = candidate.replace(/^refs\/(heads|tags)\//, '');
    const all = await listRefs(repo.gitDir, candidate);
    return {
      id: nodeId('Ref', `${repo.id}:${candidate}`),
      name,
      prefix: candidate.slice(0, candidate.length - name.length),
      target: { __typename: 'Commit', oid: found.sha, id: nodeId('Commit', found.sha) },
      refUpdateRule: all.length > 0 ? updateRule(state, repo, name) : null,
    };
  }
  return null;
}

function rootValue(state: State, actor: Actor): Record<string, unknown> {
  return {
    viewer: {
      login: userById(state, state.app.botId).login,
      id: nodeId('Bot', state.app.botId),
      databaseId: state.app.botId,
    },
    repository: ({ owner, name }: { owner: string; name: string }) => {
      const repo = findRepo(state, `${owner}/${name}`);
      const reached =
        repo && actor.kind === 'token' && coversRepository(state, actor.token, repo.id);
      if (!repo || !reached)
        throw new Error(`Could not resolve to a Repository with the name '${owner}/${name}'.`);
      if (!includesAccess(tokenPermissions(actor), 'contents', 'read'))
        throw new Error('Resource not accessible by integration');
      return repositoryFields(state, repo);
    },
  };
}

/** Like GraphQL's own resolver, but a field that GitHub has and the stand-in lacks is a violation, not a quiet null. */
function strictResolver(state: State): GraphQLFieldResolver<Record<string, unknown>, unknown> {
  return (source, args, context, info) => {
    const name = info.fieldName;
    if (!(name in source)) {
      const field = `${info.parentType.name}.${name}`;
      recordViolation(state, 'POST /graphql', 'unknown_request', field);
      throw new Error(`the stand-in does not answer ${field}`);
    }
    const value = source[name];
    return typeof value === 'function' ? (value(args, context, info) as unknown) : value;
  };
}

export function createGraphqlFace(
  state: State,
): (body: Buffer, authorization: string | undefined, record: RecordedRequest) => Promise<Reply> {
  return async (body, authorization, record) => {
    let actor: Actor;
    try {
      actor = authenticate(state, authorization);
    } catch (error) {
      if (error instanceof Refused) return error.reply;
      throw error;
    }
    if (actor.kind !== 'token')
      return new Refused(401, 'This endpoint requires you to be authenticated.').reply;
    Object.assign(record, {
      auth: 'token',
      tokenId: actor.token.id,
      permissions: actor.token.permissions,
    });
    const { query, variables } = JSON.parse(body.toString('utf8')) as {
      query?: string;
      variables?: Record<string, unknown>;
    };
    const result = await graphql({
      schema: schema(),
      source: query ?? '',
      rootValue: rootValue(state, actor),
      variableValues: variables ?? {},
      fieldResolver: strictResolver(state),
    });
    // Without a path the query itself is wrong: misspelt, or against GitHub's schema.
    const unknown = (result.errors ?? []).filter((error) => error.path === undefined);
    if (unknown.length > 0)
      recordViolation(
        state,
        'POST /graphql',
        'invalid_request',
        unknown.map((error) => error.message),
      );
    return ok({
      data: result.data,
      ...(result.errors ? { errors: result.errors.map((error) => error.toJSON()) } : {}),
    });
  };
}
