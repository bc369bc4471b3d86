/** What an App can learn about the protection of a branch, preset by preset. */
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { createWorld, type World } from './test-world.ts';
import { PROTECTION_PRESETS, type ProtectionPreset } from './state/protection-presets.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterEach(() => world.github.assertClean());
afterAll(() => world.close());

interface Seen {
  readonly flag: boolean;
  readonly rules: string[] | number;
  readonly approvals: number | null;
  readonly bypass: string[] | null;
  readonly classic: string | number;
  readonly viewerCanPush: boolean | null;
}

async function statusOf<T>(ask: Promise<T>): Promise<T | number> {
  return ask.catch((error: { status: number }) => error.status);
}

async function look(
  preset: ProtectionPreset,
  permissions?: Record<string, 'read' | 'write'>,
): Promise<Seen> {
  world.github.setProtection(world.repo, preset);
  const octokit = world.client(await world.mint(permissions));
  const at = { ...world.at, branch: 'main' };
  const rules = await statusOf(octokit.repos.getBranchRules(at).then((reply) => reply.data));
  const list = typeof rules === 'number' ? [] : rules;
  const rulesets = await Promise.all(
    [...new Set(list.map((rule) => rule.ruleset_id ?? 0))].map((id) =>
      octokit.repos.getRepoRuleset({ ...world.at, ruleset_id: id }),
    ),
  );
  const pullRequest = list.find((rule) => rule.type === 'pull_request');
  const classic = await statusOf(octokit.repos.getBranchProtection(at).then((reply) => reply.data));
  const answer = await octokit.graphql<{
    repository: { ref: { refUpdateRule: { viewerCanPush: boolean } | null } };
  }>(
    'query { repository(owner: "acme", name: "shop") { ref(qualifiedName: "refs/heads/main") { refUpdateRule { viewerCanPush } } } }',
  );
  return {
    flag: (await octokit.repos.getBranch(at)).data.protected,
    rules: typeof rules === 'number' ? rules : list.map((rule) => rule.type),
    approvals:
      pullRequest?.type === 'pull_request'
        ? (pullRequest.parameters?.required_approving_review_count ?? null)
        : null,
    bypass:
      typeof rules === 'number'
        ? null
        : rulesets.map((one) => String(one.data.current_user_can_bypass)),
    classic:
      typeof classic === 'number'
        ? classic
        : `${classic.required_pull_request_reviews?.required_approving_review_count} approvals`,
    viewerCanPush: answer.repository.ref.refUpdateRule?.viewerCanPush ?? null,
  };
}

const ALL_RULES = ['pull_request', 'non_fast_forward', 'deletion', 'required_status_checks'];
const FULL: Seen = {
  flag: true,
  rules: ALL_RULES,
  approvals: 1,
  bypass: ['never'],
  classic: 404,
  viewerCanPush: false,
};
const EXPECTED: Readonly<Record<ProtectionPreset, Seen>> = {
  protected: FULL,
  none: { flag: false, rules: [], approvals: null, bypass: [], classic: 404, viewerCanPush: null },
  naming_only: {
    flag: true,
    rules: ['branch_name_pattern'],
    approvals: null,
    bypass: ['never'],
    classic: 404,
    viewerCanPush: true,
  },
  no_reviews: { ...FULL, approvals: 0 },
  app_can_bypass: { ...FULL, bypass: ['always'], viewerCanPush: true },
  classic: {
    flag: true,
    rules: [],
    approvals: null,
    bypass: [],
    classic: '1 approvals',
    viewerCanPush: false,
  },
  unreadable: {
    flag: true,
    rules: 403,
    approvals: null,
    bypass: null,
    classic: 403,
    viewerCanPush: false,
  },
};

describe('a preset of protection', () => {
  it.each(PROTECTION_PRESETS)('%s shows an App what GitHub would show it', async (preset) => {
    expect(await look(preset)).toEqual(EXPECTED[preset]);
  });

  it('hides classic protection from a token without the administration permission', async () => {
    expect(await look('classic', { contents: 'read' })).toEqual({
      ...EXPECTED.classic,
      classic: 403,
    });
  });

  it('names the App that each required check must come from', async () => {
    world.github.setProtection(world.repo, 'protected');
    const octokit = world.client(await world.mint());
    const rules = await octokit.repos.getBranchRules({ ...world.at, branch: 'main' });
    expect(rules.data.find((rule) => rule.type === 'required_status_checks')).toMatchObject({
      parameters: { required_status_checks: [{ context: 'ci', integration_id: 15_368 }] },
    });
  });

  it('spreads many rules over pages', async () => {
    world.github.setProtection(world.repo, 'none');
    for (let n = 0; n < 3; n += 1)
      world.github.setRuleset({
        repo: world.repo,
        rules: [{ type: 'deletion' }, { type: 'creation' }],
      });
    const octokit = world.client(await world.mint());
    const first = await octokit.repos.getBranchRules({ ...world.at, branch: 'main', per_page: 4 });
    expect(first.data).toHaveLength(4);
    const all = await octokit.paginate(octokit.repos.getBranchRules, {
      ...world.at,
      branch: 'main',
      per_page: 4,
    });
    expect(all).toHaveLength(6);
  });

  it('leaves out rules that are only tried or switched off', async () => {
    world.github.setProtection(world.repo, 'none');
    const id = world.github.setRuleset({
      repo: world.repo,
      rules: [{ type: 'deletion' }],
      enforcement: 'evaluate',
    });
    const octokit = world.client(await world.mint());
    const count = async (): Promise<number> =>
      (await octokit.repos.getBranchRules({ ...world.at, branch: 'main' })).data.length;
    expect(await count()).toBe(0);
    world.github.setRuleset({
      repo: world.repo,
      id,
      rules: [{ type: 'deletion' }],
      enforcement: 'active',
    });
    expect(await count()).toBe(1);
  });
});
