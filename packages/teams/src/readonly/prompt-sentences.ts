/**
 * What a read-only step is told. An agent that does not know why it is refused takes the refusal for a defect and works
 * around it; one that is told of a refusal that may not come is told so, because a rule that is caught lying is not kept.
 */
import type { Adapter } from './adapter.ts';
import type { ReadOnlyLevel } from '../restriction-words.ts';

export interface PromptInput {
  /** Undefined for a CLI without an adapter. */
  adapter: Adapter | undefined;
  level: ReadOnlyLevel;
  verified: boolean;
}

/** The two sentences and, where the agent cannot write its hand-off file, a third that says where the hand-off goes. */
export function promptSentences(input: PromptInput): string[] {
  const { adapter, level } = input;
  const sentences = [ruleSentence(input), openSentence(level)];
  if (adapter?.handOff[level] === 'last_message') sentences.push(HAND_OFF_SENTENCE);
  return sentences;
}

function ruleSentence({ adapter, level, verified }: PromptInput): string {
  const means = `This step is read-only: do not edit, create, move or delete files of the project, do not commit, push or otherwise write with git, and run no command whose purpose is to change the tree${level === 'noShell' ? ', nor any shell command at all' : ''}`;
  if (adapter !== undefined && verified) {
    return `${means}; tools that do so are taken away or refused, and such a refusal is this rule at work, not a fault to get around with another command.`;
  }
  return `${means}; not every tool that could do so may be refused here, so keep to the rule yourself, take any refusal for the rule and not for a fault to get around, and know that whatever you write is thrown away and reported.`;
}

function openSentence(level: ReadOnlyLevel): string {
  const open =
    level === 'reflex'
      ? 'Reading, searching, git diff, log, show and blame, and running tests, linters, type checkers and builds stay open'
      : 'Reading and searching stay open';
  return `${open}; whatever should change, report it in your hand-off as a finding with file, line and reason, and the step that owns the code will apply it.`;
}

const HAND_OFF_SENTENCE =
  'You may be unable to write the hand-off file: then end your last message with the hand-off as one JSON object in a ```json block, and it is taken from there.';
