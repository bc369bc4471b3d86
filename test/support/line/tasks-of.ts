/** What a test asks of a line: the tasks of a delivery, the comments on an issue, and the reasons that were given. */
import { awaitTask, type AwaitedTask } from '@sallyport/cli/local/demo/await-task';
import type { Line } from './start-line.ts';

const TIMEOUT_MS = 90_000;

/** Asks on a new issue and waits for the end of its task. */
export async function askAndWait(
  line: Line,
  body = '/agent fix this',
  by?: string,
): Promise<AwaitedTask & { issue: number }> {
  const issue = await line.addIssue();
  const { guid } = await line.comment(issue, body, by);
  const awaited = await awaitTask(line.db, guid, { timeoutMs: TIMEOUT_MS });
  return { ...awaited, issue };
}

/** The comments of our App on an issue. */
export async function botComments(line: Line, issue: number): Promise<string[]> {
  const comments = await line.github.control.comments(line.repo, issue);
  return comments
    .filter((c) => authorOf(c) === line.github.app.botLogin)
    .map((c) => String(c['body']));
}

function authorOf(comment: Record<string, unknown>): unknown {
  return (comment['user'] as { login?: unknown } | null)?.login;
}

/** The branches that were published. */
export async function agentBranches(line: Line): Promise<string[]> {
  const branches = await line.github.control.branches(line.repo);
  return Object.keys(branches).filter((name) => name.startsWith('agent/'));
}
