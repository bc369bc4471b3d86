/**
 * What every step finds in its sandbox, whoever its agent is: the places, the bounds, the variables. Of these its plan is
 * made before any step starts, and its sandbox when it does.
 */
import type { Agent } from '../read-agents.ts';
import { HAND_OFF_NAME } from '../read-hand-off.ts';
import type { SandboxLimits } from '../sandbox/driver.ts';
import { INSIDE_HOME } from '../sandbox/root-layout.ts';

const MIB = 1024 * 1024;
/** Places inside every step's sandbox. */
export const TREE = '/work';
export const GIT_TARGET = `${TREE}/.git`;
export const IN = '/in';
export const OUT = '/out';
export const FILES_DIRECTORY = `${IN}/read-only`;
export const PROMPT_NAME = 'prompt.md';
export const TASK_NAME = 'task.json';
export const PLACES = {
  tree: TREE,
  taskFile: `${IN}/${TASK_NAME}`,
  handOff: `${OUT}/${HAND_OFF_NAME}`,
  handOffs: `${IN}/hand-offs`,
  patch: `${IN}/diff.patch`,
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

/** The variables of whatever runs over a tree: an agent, or the commands of an environment. */
export const BASE_ENVIRONMENT = {
  PATH: '/usr/local/bin:/usr/bin:/bin',
  HOME: INSIDE_HOME,
  LANG: 'C.UTF-8',
  TERM: 'dumb',
} as const;

/** The agent's environment before its adapter has its say. */
export function stepEnvironment(agent: Agent): Record<string, string> {
  return {
    ...BASE_ENVIRONMENT,
    ...agent.env,
    SALLYPORT_PROMPT: `${IN}/${PROMPT_NAME}`,
    SALLYPORT_TASK: PLACES.taskFile,
    SALLYPORT_HAND_OFF: PLACES.handOff,
  };
}
