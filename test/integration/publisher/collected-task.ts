/** A task as the launcher leaves it when its run is collected, on an issue of the GitHub stand-in, with a real bundle. */
import { mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { storeArtifact } from '@sallyport/shared/artifacts/store';
import { findPublication, type PublicationRow } from '@sallyport/shared/db/publication';
import { findTask, type TaskRow } from '@sallyport/shared/db/task';
import { readTimeline, verifyTimeline, type TimelineEvent } from '@sallyport/shared/db/timeline';
import { branchName } from '@sallyport/shared/task/branch-name';
import { newId } from '@sallyport/shared/ids';
import { encodeSnapshot, hashText, type Snapshot } from '@sallyport/shared/task/snapshot';
import type { TicketClaims } from '@sallyport/shared/ticket/claims';
import { seedTask } from '../../support/deployment/seed-task.ts';
import { runClientGit } from '../../support/github/test-world.ts';
import type { ProtectionPreset, RepoHandle } from '../../support/github/verbs.ts';
import { issueTicket } from './issue-ticket.ts';
import type { PublisherWorld } from './publisher-world.ts';

/** What the agent leaves in the tree: text, a symbolic link, or null for a file that it removes. */
export type AgentFiles = Readonly<Record<string, string | { linkTo: string } | null>>;

export interface CollectedOptions {
  repo: RepoHandle;
  files?: AgentFiles;
  /** False: the run ended without a change. */
  changed?: boolean;
  claims?: (claims: TicketClaims) => TicketClaims;
  snapshot?: (snapshot: Snapshot) => Snapshot;
  ticket?: 'signed' | 'missing' | 'altered' | 'revoked' | 'foreign_key';
  summary?: string;
  /** What the comment says; the snapshot has it too. */
  command?: string;
  /** Another branch than the task's own, in the bundle and in the ticket. */
  branch?: string;
  /** Another branch than the ticket's, in the bundle. */
  bundleBranch?: string;
  /** A request that was made before, for a task that is made of it once more. */
  request?: AgentRequest;
}

/** An issue and the comment on it, as GitHub has them. */
export interface AgentRequest {
  issue: Record<string, unknown> & { number: number };
  comment: Record<string, unknown> & { id: number };
}

export interface CollectedTask {
  taskId: string;
  runId: string;
  repo: RepoHandle;
  issue: number;
  commentId: number;
  request: AgentRequest;
  branch: string;
  jti: string;
  claims: TicketClaims;
  /** The commit in the bundle, of which nothing may be published. */
  agentCommit: string | null;
}

export const REQUESTER = 'dev-ada';
export const COMMAND = '/agent fix this';
export const BASE_FILES = {
  'README.md': '# Shop\n',
  'src/sum.js': 'export const sum = (a, b) => a - b;\n',
} as const;
export const FIX: AgentFiles = { 'src/sum.js': 'export const sum = (a, b) => a + b;\n' };

let repositories = 0;

/** A repository of its own for a test. */
export async function addRepository(
  world: PublisherWorld,
  protection: ProtectionPreset = 'protected',
): Promise<RepoHandle> {
  repositories += 1;
  if (repositories === 1) world.github.addUser({ login: REQUESTER });
  return world.github.addRepo({
    owner: 'acme',
    name: `shop-${repositories}`,
    files: BASE_FILES,
    protection,
    permissions: { [REQUESTER]: 'write' },
  });
}

export async function seedCollectedTask(
  world: PublisherWorld,
  options: CollectedOptions,
): Promise<CollectedTask> {
  const { deployment } = world;
  const { repo } = options;
  const text = options.command ?? COMMAND;
  const request = options.request ?? makeRequest(world, repo, text);
  const { issue, comment } = request;
  const requesterId = (comment['user'] as { id: number }).id;
  const taskId = newId();
  const branch = options.branch ?? branchName('agent', issue.number, taskId);
  const installationId = repo.installationId ?? 0;
  const seeded = await seedTask(deployment, {
    taskId,
    installationId,
    repositoryId: repo.id,
    owner: repo.owner,
    name: repo.name,
    issue: issue.number,
    requesterId,
    requesterLogin: REQUESTER,
    commentId: comment.id,
    branch,
    state: 'collected',
  });
  const base = { ref: repo.defaultBranch, sha: repo.headSha };
  const frozen: Snapshot = {
    v: 1,
    delivery: { id: seeded.deliveryId, guid: newId(), event: 'issue_comment' },
    repository: { id: repo.id, owner: repo.owner, name: repo.name },
    installationId,
    subject: {
      kind: 'issue',
      number: issue.number,
      title: 'sum() subtracts',
      body: 'It should add.',
      authorId: requesterId,
      updatedAt: String(issue['updated_at']),
    },
    trigger: {
      kind: 'issue_comment',
      id: comment.id,
      authorId: requesterId,
      authorLogin: REQUESTER,
      text,
      textSha256: hashText(text),
      createdAt: String(comment['created_at']),
      updatedAt: String(comment['updated_at']),
    },
    requester: { id: requesterId, login: REQUESTER, role: 'write' },
    command: { verb: 'fix', text: COMMAND, team: 'starter' },
    base,
  };
  const { content, sha256 } = encodeSnapshot(options.snapshot?.(frozen) ?? frozen);
  await deployment.admin.query(
    'insert into snapshot (task_id, content, sha256) values ($1, $2, $3)',
    [seeded.taskId, content, sha256],
  );
  const runId = newId();
  const bundled =
    options.changed === false
      ? null
      : await makeBundle(world, repo, options.bundleBranch ?? branch, options.files ?? FIX);
  const bundle =
    bundled === null
      ? null
      : await storeArtifact(deployment.pool('worker-launcher'), {
          kind: 'bundle',
          taskId: seeded.taskId,
          bytes: [bundled.bytes],
        });
  await deployment.admin.query(
    `insert into run (id, task_id, number, state, bundle_artifact_id, head_oid) values ($1, $2, 1, 'collected', $3, $4)`,
    [runId, seeded.taskId, bundle?.id ?? null, bundled?.head ?? null],
  );
  await insertSteps(world, runId, options.summary ?? 'sum() subtracted; now it adds.');
  const claims = await issueTicket(world, {
    ...options,
    seeded,
    runId,
    frozen,
    sha256,
    branch,
    repo,
  });
  return {
    taskId: seeded.taskId,
    runId,
    repo,
    issue: issue.number,
    commentId: comment.id,
    request,
    branch,
    jti: claims.jti,
    claims,
    agentCommit: bundled?.head ?? null,
  };
}

function makeRequest({ github }: PublisherWorld, repo: RepoHandle, body: string): AgentRequest {
  const issue = github.addIssue({
    repo,
    title: 'sum() subtracts',
    body: 'It should add.',
    by: REQUESTER,
  });
  return { issue, comment: github.comment({ repo, issue: issue.number, body, by: REQUESTER }) };
}

async function insertSteps(world: PublisherWorld, runId: string, summary: string): Promise<void> {
  await world.deployment.admin.query(
    `insert into step (id, run_id, fence, node, visit, attempt, read_only, enforced_by, state, base_tree, tree, hand_off,
       started_at, ended_at)
     values ($1, $2, 1, 'developer', 1, 1, false, 'written_rule', 'finished', 'a', 'b', $3, now() - interval '3 seconds', now())`,
    [newId(), runId, JSON.stringify({ v: 1, outcome: 'done', summary, findings: [], claims: {} })],
  );
}

/** A bundle as an agent's sandbox makes it: a commit of its own on the start commit. */
export async function makeBundle(
  world: PublisherWorld,
  repo: RepoHandle,
  branch: string,
  files: AgentFiles,
): Promise<{ bytes: Buffer; head: string }> {
  const work = join(world.directory, `work-${newId()}`);
  try {
    await git(world.directory, ['clone', '-q', repo.gitDir, work]);
    await git(work, ['checkout', '-q', '-b', branch, repo.headSha]);
    for (const [path, content] of Object.entries(files))
      await writeEntry(join(work, path), content);
    await git(work, ['add', '-A', '-f']);
    await git(work, [
      'commit',
      '-q',
      '-m',
      'Fixes #1 and closes #2\n\nCo-authored-by: Mallory <m@example.test>',
    ]);
    await git(work, ['bundle', 'create', '-q', 'out.bundle', `${repo.headSha}..${branch}`]);
    return {
      bytes: await readFile(join(work, 'out.bundle')),
      head: (await git(work, ['rev-parse', branch])).trim(),
    };
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

async function writeEntry(path: string, content: AgentFiles[string]): Promise<void> {
  if (content === null || content === undefined) return rm(path);
  await mkdir(dirname(path), { recursive: true });
  return typeof content === 'string' ? writeFile(path, content) : symlink(content.linkTo, path);
}

async function git(cwd: string, args: readonly string[]): Promise<string> {
  const run = await runClientGit(cwd, args);
  if (run.code !== 0) throw new Error(`git ${args.join(' ')}: ${run.stderr}`);
  return run.stdout;
}

export interface Outcome {
  task: TaskRow;
  publication: PublicationRow | null;
  events: TimelineEvent[];
  kinds: string[];
  branches: Record<string, string>;
  pulls: Record<string, unknown>[];
  /** Texts of our App's comments on the issue. */
  comments: string[];
  verdict: Record<string, unknown> | null;
}

/** Everything there is to see of a task afterwards, here and on GitHub; its timeline must hold. */
export async function lookAt(world: PublisherWorld, one: CollectedTask): Promise<Outcome> {
  const { deployment, github } = world;
  const task = await findTask(deployment.admin, one.taskId);
  if (task === null) throw new Error('the task is gone');
  const events = await readTimeline(deployment.admin, one.taskId);
  const broken = await verifyTimeline(deployment.pool('console'), one.taskId);
  if (broken !== null) throw new Error(`the timeline is broken at ${broken.seq}`);
  const { rows } = await deployment.admin.query<Record<string, unknown>>(
    'select * from verdict where run_id = $1',
    [one.runId],
  );
  return {
    task,
    publication: await findPublication(deployment.admin, one.taskId),
    events,
    kinds: events.map((event) => event.kind),
    branches: await github.branches(one.repo),
    pulls: await github.pulls(one.repo),
    comments: github
      .comments(one.repo, one.issue)
      .filter((comment) => (comment['user'] as { id: number }).id === github.app.botId)
      .map((comment) => String(comment['body'])),
    verdict: rows[0] ?? null,
  };
}
