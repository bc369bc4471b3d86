/** Says in plain words what keeps a step from writing: for the timeline, the console and `team show`. */
import type { ReadOnlyLevel } from '../restriction-words.ts';
import type { Adapter } from './adapter.ts';

export interface EnforcementInput {
  /** The CLI as the team names it, for when it has no adapter. */
  cli: string;
  adapter: Adapter | undefined;
  level: ReadOnlyLevel;
  version: string | undefined;
  verified: boolean;
}

const MOUNT = 'what is left is stopped by the mount, and a write is reported';

/** One or two sentences. */
export function enforcementSentence(input: EnforcementInput): string {
  const { adapter, level, version, verified } = input;
  if (adapter === undefined) {
    return `${input.cli} has no adapter, so nothing in the CLI refuses a write: the prompt states the rule, the mount keeps every write from the project, and a write is reported.`;
  }
  const what =
    adapter.enforcedBy === 'os_sandbox'
      ? `${adapter.title} confines itself to reading by its own sandbox`
      : level === 'noShell'
        ? `${adapter.title} refuses its edit tools and the shell`
        : `${adapter.title} refuses its edit tools${adapter.levels.reflex.refuses.includes('git_commit') ? ' and the listed commands' : ''}`;
  const note = adapter.levels[level].note;
  const sentence = verified
    ? `${what} (seen in version ${version ?? ''}); ${MOUNT}.`
    : `${what}, but ${version === undefined ? 'its version is not known' : `version ${version} has not been verified`}; until the self-test has passed on it count on the mount, which stops every write, and on the report.`;
  return note === undefined ? sentence : `${sentence} ${note}`;
}

/** The same for a step that may write. */
export const WRITING_SENTENCE = 'This step may write: its tree is what the run goes on with.';
