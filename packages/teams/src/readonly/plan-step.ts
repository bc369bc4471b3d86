/**
 * All that the read-only rule and the agent's adapter say about one step: how the agent is started, what it is told, who
 * enforces the rule, and under which fingerprint. This is what a launcher calls; it does nothing itself.
 */
import type { ReadOnlyLevel, WriteAttemptAction } from '../restriction-words.ts';
import type { AdapterFile, Enforcer } from './adapter.ts';
import { findAdapter } from './adapters.ts';
import { applyReadOnly, type AppliedArguments } from './apply-read-only.ts';
import { hashEffectivePolicy, type PolicyMount } from './effective-policy.ts';
import { enforcementSentence, WRITING_SENTENCE } from './enforcement-sentence.ts';
import { promptSentences } from './prompt-sentences.ts';
import { addRestrictions, type EffectiveRestriction } from './restrictions.ts';
import { isVerified, type PassedSelfTest } from './verification.ts';

export interface StepPlanInput {
  team: { readOnly: boolean; readOnlyLevel?: ReadOnlyLevel };
  node: {
    id: string;
    readOnly: boolean;
    readOnlyLevel?: ReadOnlyLevel;
    onWriteAttempt?: WriteAttemptAction;
    agent: {
      cli: string;
      command?: string | undefined;
      args?: readonly string[] | undefined;
      model?: string | undefined;
      autonomous?: boolean | string | undefined;
      readOnly?: boolean | undefined;
    };
  };
  /** `read_only` of the ticket. */
  taskReadOnly: boolean;
  /** The agent as this host offers it: its command, its environment, the version of its CLI where that is known. */
  agent: {
    argv: readonly [string, ...string[]];
    env: Readonly<Record<string, string>>;
    readOnly?: boolean;
    version?: string | undefined;
  };
  selfTests?: readonly PassedSelfTest[];
  /** Where inside the sandbox `files` will be mounted read-only. */
  filesDirectory?: string;
  mounts: readonly PolicyMount[];
  /** Network and limits, for the fingerprint. */
  further?: Readonly<Record<string, unknown>>;
}

export interface StepPlan {
  /** Null for a step that may write. */
  restriction: EffectiveRestriction;
  argv: [string, ...string[]];
  /** The agent's whole environment, its own variables included. */
  env: Record<string, string>;
  files: readonly AdapterFile[];
  /** Paragraph to add to the prompt; empty for a writing step. */
  promptSuffix: string;
  /** For the step's row: `not_read_only` when it may write. */
  enforcedBy: Enforcer | 'not_read_only';
  verified: boolean;
  leavesOpen: readonly string[];
  /** What keeps it from writing, for people. */
  sentence: string;
  /** Where its hand-off can be found: a read-only agent may be unable to write a file. */
  handOff: 'file' | 'last_message';
  /** Arguments that were taken out, for the timeline. */
  removed: readonly string[];
  onWriteAttempt: WriteAttemptAction;
  policyHash: string;
}

/** @throws AppError `bad_input` when the agent cannot be started under the rule. */
export function planStep(input: StepPlanInput): StepPlan {
  const { node, agent, team } = input;
  const { cli } = node.agent;
  const adapter = findAdapter(cli);
  const restriction = addRestrictions([
    { source: 'task', readOnly: input.taskReadOnly },
    { source: 'team', readOnly: team.readOnly, level: team.readOnlyLevel },
    { source: 'node', readOnly: node.readOnly, level: node.readOnlyLevel },
    { source: 'agent', readOnly: node.agent.readOnly === true || agent.readOnly === true },
  ]);
  const command: readonly string[] =
    node.agent.command === undefined ? agent.argv : [node.agent.command];
  const savedArgs = node.agent.args ?? [];
  const level = restriction?.level ?? null;
  const applied: AppliedArguments =
    adapter === undefined
      ? { argv: [...command, ...savedArgs], env: { set: {}, unset: [] }, files: [], removed: [] }
      : applyReadOnly({
          adapter,
          command,
          savedArgs,
          model: node.agent.model,
          autonomous: node.agent.autonomous,
          level,
          env: agent.env,
          ...(input.filesDirectory === undefined ? {} : { filesDirectory: input.filesDirectory }),
        });
  const verified =
    adapter !== undefined &&
    level !== null &&
    isVerified(adapter, agent.version, level, input.selfTests);
  const sentences = level === null ? [] : promptSentences({ adapter, level, verified });
  const env = {
    ...Object.fromEntries(
      Object.entries(agent.env).filter(([name]) => !applied.env.unset.includes(name)),
    ),
    ...applied.env.set,
  };
  const [program, ...args] = applied.argv;
  return {
    restriction,
    argv: [program ?? agent.argv[0], ...args],
    env,
    files: applied.files,
    promptSuffix: sentences.join(' '),
    enforcedBy: level === null ? 'not_read_only' : (adapter?.enforcedBy ?? 'written_rule'),
    verified,
    leavesOpen: level === null ? [] : (adapter?.levels[level].leavesOpen ?? LEFT_BY_UNKNOWN_CLI),
    sentence:
      level === null
        ? WRITING_SENTENCE
        : enforcementSentence({ cli, adapter, level, version: agent.version, verified }),
    handOff: level === null ? 'file' : (adapter?.handOff[level] ?? 'file'),
    removed: applied.removed,
    onWriteAttempt: node.onWriteAttempt ?? 'note',
    policyHash: hashEffectivePolicy({
      restriction,
      argv: applied.argv,
      env,
      files: applied.files,
      promptSentences: sentences,
      mounts: input.mounts,
      ...(input.further === undefined ? {} : { further: input.further }),
    }),
  };
}

/** Of a CLI without an adapter nothing is known, so everything counts as open. */
export const LEFT_BY_UNKNOWN_CLI = [
  'everything that the CLI can do: its edit tools, its shell, git, its sub-agents',
] as const;

/** What follows for a finished read-only step, given whether tracked paths or the git directory were touched. */
export function afterWriteAttempt(
  action: WriteAttemptAction,
  attempted: boolean,
  attemptsLeft: number,
): 'go_on' | 'rerun' | 'fail' {
  if (!attempted || action === 'note') return 'go_on';
  if (action === 'rerun' && attemptsLeft > 0) return 'rerun';
  return 'fail';
}
