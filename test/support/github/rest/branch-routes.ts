/** Branches, what protects them, and what an App may learn about that with which permission. */
import { listRefs, readRef, type Ref } from '../git/refs.ts';
import { listReply } from '../http/pagination.ts';
import { Refused, notFound, ok } from '../http/reply.ts';
import { param, repoIn, type RestContext, type Route } from '../http/route.ts';
import { classicFor, isProtected } from '../state/rules.ts';
import type { Json } from '../view/common.ts';
import { commitView } from '../view/commit-view.ts';
import {
  branchRulesView,
  branchSummaryView,
  classicView,
  rulesetView,
} from '../view/protection-view.ts';
import { repoApiUrl, repoPageUrl } from '../view/repository-view.ts';

const UPGRADE = 'Upgrade to GitHub Pro or make this repository public to enable this feature.';

async function branchIn(context: RestContext): Promise<{ name: string; ref: Ref }> {
  const name = param(context, 'branch');
  const ref = await readRef(repoIn(context).gitDir, `refs/heads/${name}`);
  if (!ref) throw new Refused(404, 'Branch not found');
  return { name, ref };
}

/** On a free plan GitHub refuses every question about the rules of a private repository. */
function needReadableRules(context: RestContext): void {
  if (!repoIn(context).rulesReadable) throw new Refused(403, UPGRADE);
}

async function branchView(context: RestContext): Promise<Json> {
  const { name, ref } = await branchIn(context);
  const repo = repoIn(context);
  const self = `${repoApiUrl(context.state, repo)}/branches/${encodeURIComponent(name)}`;
  return {
    name,
    commit: await commitView(context.state, repo, ref.sha),
    _links: { self, html: `${repoPageUrl(context.state, repo)}/tree/${name}` },
    protected: isProtected(repo, name),
    protection: branchSummaryView(repo, name),
    protection_url: `${self}/protection`,
  };
}

export const BRANCH_ROUTES: readonly Route[] = [
  {
    method: 'GET',
    path: '/repos/{owner}/{repo}/branches',
    auth: 'token',
    needs: [{ contents: 'read' }],
    handle: async (context) => {
      const repo = repoIn(context);
      const refs = await listRefs(repo.gitDir, 'refs/heads/');
      return listReply(context, refs, ({ ref, sha }) => {
        const name = ref.slice('refs/heads/'.length);
        const url = `${repoApiUrl(context.state, repo)}/commits/${sha}`;
        return { name, commit: { sha, url }, protected: isProtected(repo, name) };
      });
    },
  },
  {
    method: 'GET',
    path: '/repos/{owner}/{repo}/branches/{branch}',
    auth: 'token',
    needs: [{ contents: 'read' }],
    handle: async (context) => ok(await branchView(context)),
  },
  {
    method: 'GET',
    path: '/repos/{owner}/{repo}/branches/{branch}/protection',
    auth: 'token',
    needs: [{ administration: 'read' }],
    handle: async (context) => {
      const { name } = await branchIn(context);
      needReadableRules(context);
      const protection = classicFor(repoIn(context), name);
      if (!protection) throw new Refused(404, 'Branch not protected');
      return ok(classicView(context.state, repoIn(context), name, protection));
    },
  },
  {
    method: 'GET',
    path: '/repos/{owner}/{repo}/rules/branches/{branch}',
    auth: 'token',
    needs: [{ metadata: 'read' }],
    handle: (context) => {
      needReadableRules(context);
      return listReply(
        context,
        branchRulesView(repoIn(context), param(context, 'branch')),
        (rule) => rule,
      );
    },
  },
  {
    method: 'GET',
    path: '/repos/{owner}/{repo}/rulesets',
    auth: 'token',
    needs: [{ metadata: 'read' }],
    handle: (context) => {
      needReadableRules(context);
      const targets = context.request.query['targets']?.split(',');
      const withParents = context.request.query['includes_parents'] !== 'false';
      const list = [...repoIn(context).rulesets.values()]
        .filter((ruleset) => targets?.includes(ruleset.target) ?? true)
        .filter((ruleset) => withParents || ruleset.sourceType === 'Repository');
      return listReply(context, list, (ruleset) =>
        rulesetView(context.state, repoIn(context), ruleset, false),
      );
    },
  },
  {
    method: 'GET',
    path: '/repos/{owner}/{repo}/rulesets/{ruleset_id}',
    auth: 'token',
    needs: [{ metadata: 'read' }],
    handle: (context) => {
      needReadableRules(context);
      const ruleset = repoIn(context).rulesets.get(Number(param(context, 'ruleset_id')));
      const withParents = context.request.query['includes_parents'] !== 'false';
      if (!ruleset || (!withParents && ruleset.sourceType !== 'Repository')) throw notFound();
      return ok(rulesetView(context.state, repoIn(context), ruleset, true));
    },
  },
];
