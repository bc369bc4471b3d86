/**
 * The sandbox of one step: the agent's program over the step's own view of the tree, the task to read, a place for the
 * hand-off, and nothing else that is not in the operator's file.
 */
import type { StepPlan } from '@sallyport/teams/readonly/plan-step';
import { HISTORY_TARGET, historyDirectory, type StepDirectories } from '../collector/layout.ts';
import { canaryMount, CANARY_VARIABLE } from '../canary/place-canary.ts';
import type { PlannedNode } from '../engine/plan-nodes.ts';
import type { Agent } from '../read-agents.ts';
import type { SandboxMount, SandboxSpec } from '../sandbox/driver.ts';
import { IN, OUT, STEP_LIMITS, TREE } from './step-places.ts';

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
    readOnly('in', directories.in, IN),
    { kind: 'bind', role: 'out', source: directories.out, target: OUT, access: 'read_write' },
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
