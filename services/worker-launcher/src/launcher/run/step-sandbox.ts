/**
 * The sandbox of one step: the agent's program over the step's own view of the tree, the task to read, a place for the
 * hand-off, and nothing else that is not in the operator's file.
 */
import type { StepPlan } from '@sallyport/teams/readonly/plan-step';
import { HISTORY_TARGET, historyDirectory, type StepDirectories } from '../collector/layout.ts';
import { canaryMount, CANARY_VARIABLE } from '../canary/place-canary.ts';
import type { PlannedNode } from '../engine/plan-nodes.ts';
import type { Agent } from '../read-agents.ts';
import { HAND_OFF_NAME } from '../read-hand-off.ts';
import type { SandboxLimits, SandboxMount, SandboxSpec } from '../sandbox/driver.ts';
import { INSIDE_HOME } from '../sandbox/root-layout.ts';

const MIB = 1024 * 1024;
/** Places inside every step's sandbox. */
export const TREE = '/work';
export const GIT_TARGET = `${TREE}/.git`;
export const FILES_DIRECTORY = '/in/read-only';
export const PROMPT_NAME = 'prompt.md';
export const TASK_NAME = 'task.json';
export const PLACES = {
  tree: TREE,
  taskFile: `/in/${TASK_NAME}`,
  handOff: `/out/${HAND_OFF_NAME}`,
  handOffs: '/in/hand-offs',
  patch: '/in/diff.patch',
} as const;

export const STEP_LIMITS: Omit<SandboxLimits, 'wallMs'> = {
  graceMs: 2_000,
  memoryBytes: 4096 * MIB,
  processes: 512,
  fileBytes: 1024 * MIB,
  diskBytes: 8192 * MIB,
  outputBytes: 32 * MIB,
  openFiles: 1024,
};

/** The agent's environment before its adapter has its say. */
export function stepEnvironment(agent: Agent): Record<string, string> {
  return {
    PATH: '/usr/local/bin:/usr/bin:/bin',
    HOME: INSIDE_HOME,
    LANG: 'C.UTF-8',
    TERM: 'dumb',
    ...agent.env,
    SALLYPORT_PROMPT: `/in/${PROMPT_NAME}`,
    SALLYPORT_TASK: PLACES.taskFile,
    SALLYPORT_HAND_OFF: PLACES.handOff,
  };
}

export interface StepSandboxInput {
  stepId: string;
  /** Which start of this step's agent: the first, or the second for a hand-off that could not be used. */
  start: 1 | 2;
  labels: Readonly<Record<string, string>>;
  planned: PlannedNode;
  /** How this step sees its tree. */
  treeMounts: readonly SandboxMount[];
  runDirectory: string;
  directories: StepDirectories;
  wallMs: number;
  prompt: string;
  /** The credential that this sandbox is baited with. */
  canary: string;
}

/** The specification of one start of the step's agent. */
export function buildStepSandbox(input: StepSandboxInput): SandboxSpec {
  const { planned, directories } = input;
  const { plan, agent }: { plan: StepPlan; agent: Agent } = planned;
  const mounts: SandboxMount[] = [
    ...input.treeMounts,
    readOnly('history', historyDirectory(input.runDirectory), HISTORY_TARGET),
    readOnly('in', directories.in, '/in'),
    { kind: 'bind', role: 'out', source: directories.out, target: '/out', access: 'read_write' },
    canaryMount(directories),
    ...agent.mounts.map((m) => readOnly('agent', m.host, m.inside)),
  ];
  return {
    id: `${input.stepId}-${input.start}`,
    argv: plan.argv,
    // Not in the plan: it is another in each attempt, and the plan's fingerprint must not be.
    env: { ...plan.env, [CANARY_VARIABLE]: input.canary },
    cwd: TREE,
    mounts,
    network: 'none',
    limits: { ...STEP_LIMITS, wallMs: input.wallMs },
    labels: input.labels,
    stdin: Buffer.from(input.prompt),
  };
}

function readOnly(role: string, source: string, target: string): SandboxMount {
  return { kind: 'bind', role, source, target, access: 'read_only' };
}
