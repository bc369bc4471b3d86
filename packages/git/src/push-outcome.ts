/**
 * Reads what became of a push from git's porcelain lines. Only what the remote said about our one ref counts as an answer;
 * everything else is unknown, and whoever asked must look at the remote before doing anything further.
 */
import { quoteForLog } from './quote-for-log.ts';
import type { SpawnResult } from './spawn-limited.ts';

export const REFUSAL_CODES = [
  /** The commit touches workflows, for which the App has no permission. */
  'workflow_permission',
  /** A rule or protection of the repository. */
  'protected',
  /** The token was not accepted. */
  'authentication',
  /** The token may not write there. */
  'forbidden',
  'not_found',
  'other',
] as const;
export type RefusalCode = (typeof REFUSAL_CODES)[number];

export type PushOutcome =
  /** The ref is at the commit; `already` when it was before. */
  | { outcome: 'pushed'; already: boolean }
  /** The ref is not where the caller expected it (it exists, or it moved). */
  | { outcome: 'exists'; message: string }
  | { outcome: 'refused'; code: RefusalCode; message: string }
  /** No answer: the ref may or may not have been written. */
  | { outcome: 'unknown'; message: string };

const REF_LINE = /^([ +\-*=!])\t([^\t]*)\t([^\t]*)$/;

/** The outcome for pushing to `ref`. */
export function readPushOutcome(result: SpawnResult, ref: string): PushOutcome {
  const lines = result.stdout.toString('utf8').split('\n');
  const own = lines
    .map((line) => REF_LINE.exec(line))
    .find((m) => m?.[2]?.endsWith(`:${ref}`) === true);
  const message = quoteForLog([own?.[3] ?? '', result.stderr].join('\n'), 1_000);
  if (own === undefined || own === null) return withoutRefLine(result, message);
  const [, flag = '', , summary = ''] = own;
  const ended = result.end === 'exited' && result.exitCode === 0;
  if (flag === '=' && ended) return { outcome: 'pushed', already: true };
  if ((flag === '*' || flag === ' ' || flag === '+') && ended)
    return { outcome: 'pushed', already: false };
  if (flag !== '!') return { outcome: 'unknown', message };
  if (summary.startsWith('[rejected]')) return { outcome: 'exists', message };
  if (summary.startsWith('[remote rejected]')) {
    return { outcome: 'refused', code: classifyRefusal(message), message };
  }
  return { outcome: 'unknown', message };
}

// Before a ref line there is no pack on the way: these are refusals of the connection itself.
function withoutRefLine(result: SpawnResult, message: string): PushOutcome {
  if (result.end !== 'exited') return { outcome: 'unknown', message };
  const status = /The requested URL returned error: (\d{3})/.exec(message)?.[1];
  if (
    /Authentication failed for|could not read (Username|Password)/.test(message) ||
    status === '401'
  ) {
    return { outcome: 'refused', code: 'authentication', message };
  }
  if (status === '403') return { outcome: 'refused', code: 'forbidden', message };
  if (status === '404' || /repository '[^']*' not found/.test(message)) {
    return { outcome: 'refused', code: 'not_found', message };
  }
  return { outcome: 'unknown', message };
}

/** The refusal that the remote's words stand for; they come from GitHub, not from the agent. */
export function classifyRefusal(message: string): RefusalCode {
  if (/workflow/i.test(message) && /permission|scope/i.test(message)) return 'workflow_permission';
  if (/protected|GH006|GH013|rule violations?/i.test(message)) return 'protected';
  return 'other';
}
