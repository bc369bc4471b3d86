/**
 * The sandbox of one step: the agent's program over the step's own copy of the tree, the task to read, a place for the
 * hand-off, and nothing else that is not in the operator's file.
 */
import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TeamNode } from '@sallyport/teams/team';
import { HISTORY_TARGET, historyDirectory, type StepDirectories } from '../collector/layout.ts';
import type { Agent } from '../read-agents.ts';
import { HAND_OFF_NAME } from '../read-hand-off.ts';
import type { SandboxLimits, SandboxMount, SandboxSpec } from '../sandbox/driver.ts';
import { INSIDE_HOME } from '../sandbox/root-layout.ts';
import type { TaskFile } from './build-task-file.ts';
import { buildPrompt } from './build-prompt.ts';

const MIB = 1024 * 1024;
const TREE = '/work';
const PROMPT_FILE = 'prompt.md';
const TASK_FILE = 'task.json';

export const STEP_LIMITS: Omit<SandboxLimits, 'wallMs'> = {
  graceMs: 2_000,
  memoryBytes: 4096 * MIB,
  processes: 512,
  fileBytes: 1024 * MIB,
  diskBytes: 8192 * MIB,
  outputBytes: 32 * MIB,
  openFiles: 1024,
};

export interface StepSandboxInput {
  stepId: string;
  labels: Readonly<Record<string, string>>;
  node: TeamNode;
  agent: Agent;
  taskFile: TaskFile;
  /** The run's directory and that of the step within it. */
  runDirectory: string;
  directories: StepDirectories;
  wallSecondsLeft: number;
}

/** The specification, and the hash of what decides how much the agent may do. */
export function buildStepSandbox(input: StepSandboxInput): {
  spec: SandboxSpec;
  prompt: string;
  policyHash: string;
} {
  const { node, agent, directories } = input;
  const prompt = buildPrompt({
    nodePrompt: node.prompt,
    task: input.taskFile,
    places: { tree: TREE, taskFile: `/in/${TASK_FILE}`, handOff: `/out/${HAND_OFF_NAME}` },
  });
  const program: readonly [string, ...string[]] =
    node.agent.command === undefined ? agent.argv : [node.agent.command];
  const mounts: SandboxMount[] = [
    { kind: 'bind', role: 'tree', source: directories.tree, target: TREE, access: 'read_write' },
    {
      kind: 'bind',
      role: 'history',
      source: historyDirectory(input.runDirectory),
      target: HISTORY_TARGET,
      access: 'read_only',
    },
    { kind: 'bind', role: 'in', source: directories.in, target: '/in', access: 'read_only' },
    { kind: 'bind', role: 'out', source: directories.out, target: '/out', access: 'read_write' },
    ...agent.mounts.map((m): SandboxMount => ({
      kind: 'bind',
      role: 'agent',
      source: m.host,
      target: m.inside,
      access: 'read_only',
    })),
  ];
  const spec: SandboxSpec = {
    id: input.stepId,
    argv: [...program, ...(node.agent.args ?? [])],
    env: {
      PATH: '/usr/local/bin:/usr/bin:/bin',
      HOME: INSIDE_HOME,
      LANG: 'C.UTF-8',
      TERM: 'dumb',
      ...agent.env,
      SALLYPORT_PROMPT: `/in/${PROMPT_FILE}`,
      SALLYPORT_TASK: `/in/${TASK_FILE}`,
      SALLYPORT_HAND_OFF: `/out/${HAND_OFF_NAME}`,
    },
    cwd: TREE,
    mounts,
    network: 'none',
    limits: {
      ...STEP_LIMITS,
      wallMs: Math.min(node.timeoutMinutes * 60, input.wallSecondsLeft) * 1000,
    },
    labels: input.labels,
    stdin: Buffer.from(prompt),
  };
  return { spec, prompt, policyHash: hashPolicy(spec, input.taskFile.step.readOnly) };
}

/** Writes what the step may read, and makes the place for what it leaves. */
export async function writeStepInputs(
  directories: StepDirectories,
  prompt: string,
  taskFile: TaskFile,
): Promise<void> {
  await mkdir(directories.in, { recursive: true });
  await mkdir(directories.out, { recursive: true });
  await writeFile(join(directories.in, PROMPT_FILE), prompt);
  await writeFile(join(directories.in, TASK_FILE), `${JSON.stringify(taskFile, null, 2)}\n`);
}

// Paths of the host and the time left differ between attempts and say nothing about what is permitted.
function hashPolicy(spec: SandboxSpec, readOnly: boolean): string {
  const policy = {
    readOnly,
    argv: spec.argv,
    env: spec.env,
    network: spec.network,
    mounts: spec.mounts.map((m) => [m.role, m.target, m.kind === 'bind' ? m.access : m.sizeBytes]),
    limits: { ...spec.limits, wallMs: 0 },
  };
  return createHash('sha256').update(JSON.stringify(policy)).digest('hex');
}
