/**
 * Decides, in GitHub's words, whether a ref may move: rules of rulesets, classic protection, workflow files without the
 * `workflows` permission, and files above the size limit. The same decision serves git pushes and the Git Data API.
 */
import { classicFor, rulesFor } from '../state/rules.ts';
import { fullNameOf, type State } from '../state/state.ts';
import type { Permissions, Repo, Rule } from '../state/types.ts';
import { ZERO_SHA } from './objects.ts';
import { git } from './run-git.ts';
import { isAncestor } from './refs.ts';

export interface RefUpdate {
  readonly ref: string;
  readonly before: string;
  readonly after: string;
}

export type RefusalKind = 'rules' | 'protected_branch' | 'workflow' | 'large_file';

export interface Refusal {
  readonly kind: RefusalKind;
  /** The lines that git prints after `remote: `. */
  readonly lines: readonly string[];
}

export interface PushContext {
  readonly state: State;
  readonly repo: Repo;
  readonly permissions: Permissions;
  /** Where the objects of a push wait until it is accepted; empty for objects that are already in the repository. */
  readonly env: Readonly<Record<string, string>>;
}

async function lines(
  context: PushContext,
  args: readonly string[],
  input?: string,
): Promise<string[]> {
  const options = input === undefined ? { env: context.env } : { env: context.env, input };
  return (await git(context.repo.gitDir, args, options))
    .toString('utf8')
    .split('\n')
    .filter(Boolean);
}

function namePatternHolds(rule: Rule, branch: string): boolean {
  const pattern = String(rule.parameters?.['pattern'] ?? '');
  const operator = String(rule.parameters?.['operator'] ?? 'regex');
  const tests: Readonly<Record<string, () => boolean>> = {
    starts_with: () => branch.startsWith(pattern),
    ends_with: () => branch.endsWith(pattern),
    contains: () => branch.includes(pattern),
    regex: () => new RegExp(pattern, 'u').test(branch),
  };
  return (tests[operator]?.() ?? false) !== (rule.parameters?.['negate'] === true);
}

async function brokenRules(context: PushContext, update: RefUpdate): Promise<string[]> {
  const created = update.before === ZERO_SHA;
  const removed = update.after === ZERO_SHA;
  const moved = !created && !removed;
  const rewound =
    moved && !(await isAncestor(context.repo.gitDir, update.before, update.after, context.env));
  const branch = update.ref.replace(/^refs\/(heads|tags)\//, '');
  const messages: string[] = [];
  for (const { rule, ruleset } of rulesFor(context.repo, update.ref)) {
    if (ruleset.bypass === 'always' || ruleset.bypass === 'exempt') continue;
    if (rule.type === 'creation' && created)
      messages.push('Cannot create ref due to creations being restricted.');
    if (rule.type === 'update' && moved) messages.push('Cannot update this protected ref.');
    if (rule.type === 'deletion' && removed) messages.push('Cannot delete this protected ref.');
    if (rule.type === 'non_fast_forward' && rewound)
      messages.push('Cannot force-push to this branch.');
    if (rule.type === 'pull_request' && moved)
      messages.push('Changes must be made through a pull request.');
    if (rule.type === 'required_status_checks' && moved)
      messages.push('Required status check "ci" is expected.');
    if (rule.type === 'branch_name_pattern' && created && !namePatternHolds(rule, branch)) {
      messages.push(
        `Branch name must match a given regex pattern: ${String(rule.parameters?.['pattern'])}`,
      );
    }
    if (rule.type === 'required_signatures' && !removed && (await hasUnsigned(context, update))) {
      messages.push('Commits must have verified signatures.');
    }
  }
  return messages;
}

function newCommitsArgs(update: RefUpdate): string[] {
  return ['rev-list', update.after, '--not', '--all'];
}

async function hasUnsigned(context: PushContext, update: RefUpdate): Promise<boolean> {
  const commits = await lines(context, newCommitsArgs(update));
  return commits.some((sha) => !context.repo.signed.has(sha));
}

async function brokenClassic(context: PushContext, update: RefUpdate): Promise<string[]> {
  const protection = classicFor(context.repo, update.ref.replace('refs/heads/', ''));
  if (!protection || !update.ref.startsWith('refs/heads/')) return [];
  const messages: string[] = [];
  const slug = context.state.app.slug;
  if (protection.lockBranch) messages.push('Cannot change this locked branch');
  if (update.after === ZERO_SHA)
    return protection.allowDeletions
      ? messages
      : [...messages, 'Cannot delete this protected branch'];
  if (
    update.before !== ZERO_SHA &&
    !protection.allowForcePushes &&
    !(await isAncestor(context.repo.gitDir, update.before, update.after, context.env))
  ) {
    messages.push('Cannot force-push to this protected branch');
  }
  if (protection.reviews && !protection.reviews.bypassApps.includes(slug)) {
    messages.push('Changes must be made through a pull request.');
  }
  if (protection.restrictApps && !protection.restrictApps.includes(slug)) {
    messages.push('You are not authorized to push to this branch.');
  }
  return messages;
}

/**
 * The first workflow file that the pushed range touches, judged twice: per new commit (a file added and removed again
 * still counts) and old tip against new tip (a merge from a newer base brings workflow files along, and GitHub refuses that too).
 */
async function touchedWorkflow(context: PushContext, update: RefUpdate): Promise<string | null> {
  const commits = await lines(context, newCommitsArgs(update));
  const names = ['-r', '-m', '--root', '--no-commit-id', '--name-only'];
  const path = ['--', '.github/workflows'];
  const perCommit = await lines(
    context,
    ['diff-tree', '--stdin', ...names, ...path],
    `${commits.join('\n')}\n`,
  );
  if (perCommit[0] !== undefined) return perCommit[0];
  if (update.before === ZERO_SHA) return null;
  const whole = await lines(context, [
    'diff-tree',
    '-r',
    '--name-only',
    update.before,
    update.after,
    ...path,
  ]);
  return whole[0] ?? null;
}

async function largeFile(context: PushContext, update: RefUpdate): Promise<string | null> {
  const objects = await lines(context, ['rev-list', '--objects', update.after, '--not', '--all']);
  const sized = await lines(
    context,
    ['cat-file', '--batch-check=%(objecttype) %(objectsize) %(rest)'],
    `${objects.join('\n')}\n`,
  );
  for (const line of sized) {
    const [type, size, ...path] = line.split(' ');
    if (type === 'blob' && Number(size) > context.state.maxBlobBytes) {
      const limit = (context.state.maxBlobBytes / 1_048_576).toFixed(2);
      return `File ${path.join(' ')} is ${(Number(size) / 1_048_576).toFixed(2)} MB; this exceeds GitHub's file size limit of ${limit} MB`;
    }
  }
  return null;
}

/** Null when GitHub would let the ref move. */
export async function judgeUpdate(
  context: PushContext,
  update: RefUpdate,
): Promise<Refusal | null> {
  const broken = await brokenRules(context, update);
  if (broken.length > 0) {
    const page = `${context.state.url}/${fullNameOf(context.state, context.repo)}/rules?ref=${encodeURIComponent(update.ref)}`;
    return {
      kind: 'rules',
      lines: [
        `error: GH013: Repository rule violations found for ${update.ref}.`,
        `Review all repository rules at ${page}`,
        '',
        ...broken.flatMap((message) => [`- ${message}`, '']),
      ],
    };
  }
  const classic = await brokenClassic(context, update);
  if (classic.length > 0) {
    const first = `error: GH006: Protected branch update failed for ${update.ref}.`;
    return {
      kind: 'protected_branch',
      lines: [first, '', ...classic.map((message) => `- ${message}`)],
    };
  }
  if (update.after === ZERO_SHA) return null;
  const workflow =
    context.permissions['workflows'] === 'write' ? null : await touchedWorkflow(context, update);
  if (workflow !== null) {
    const text = `refusing to allow a GitHub App to create or update workflow \`${workflow}\` without \`workflows\` permission`;
    return { kind: 'workflow', lines: [text] };
  }
  const large = await largeFile(context, update);
  if (large !== null) {
    const lfs =
      'error: GH001: Large files detected. You may want to try Git Large File Storage - https://git-lfs.github.com.';
    return { kind: 'large_file', lines: [`error: ${large}`, lfs] };
  }
  return null;
}
