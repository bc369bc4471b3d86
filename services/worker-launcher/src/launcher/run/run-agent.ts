/**
 * Starts the agent of a step and reads its hand-off. One that cannot be used gets the agent started once more, in the same
 * tree and with the reason in its prompt: the work was paid for, and what is missing is most often the last line of it.
 */
import { crashPoint } from '@sallyport/shared/crash-point';
import type { HandOff } from '@sallyport/teams/hand-off';
import { readHandOff, type ReadHandOff } from '../read-hand-off.ts';
import type { SandboxExit, SandboxSpec } from '../sandbox/driver.ts';
import { mayStart } from './ask-halt.ts';
import { handOffInWords } from './hand-off-in-words.ts';
import { judgeExit, type StepFailure } from './judge-exit.ts';
import type { RunWork } from './work.ts';

/** Less time than this is not worth another start. */
const REPAIR_MIN_MS = 2_000;

export interface AgentRun {
  /** One for each start; none when a halt came before the first. */
  exits: readonly SandboxExit[];
  failure: StepFailure | undefined;
  handOff: HandOff | undefined;
  /** What was wrong with the first hand-off, when the agent was started once more for it. */
  repaired: StepFailure | undefined;
}

export interface AgentStart {
  repositoryId: number;
  wallMs: number;
  outDirectory: string;
  handOffFrom: 'file' | 'last_message';
  /** The sandbox for a start with this much time, for the reason given if it is the second. */
  specFor(wallMs: number, repair?: string): Promise<SandboxSpec>;
}

/** Never throws for what an agent can have caused. */
export async function runAgent(work: RunWork, start: AgentStart): Promise<AgentRun> {
  const first = await startOnce(work, start, start.wallMs);
  if (first === undefined) return { exits: [], ...NOTHING };
  const read = await readResult(work, first, start);
  if (!isUnusable(read)) return { exits: [first], ...read, repaired: undefined };
  const left = start.wallMs - first.durationMs;
  if (left < REPAIR_MIN_MS || work.signals.interruption !== undefined) {
    return { exits: [first], ...read, repaired: undefined };
  }
  // What lies there is the agent's, and may be anything.
  await work.workspace.remove(start.outDirectory);
  await work.workspace.makeDirectory(start.outDirectory);
  const second = await startOnce(work, start, Math.floor(left), read.failure.message);
  if (second === undefined) return { exits: [first], ...read, repaired: undefined };
  return {
    exits: [first, second],
    ...(await readResult(work, second, start)),
    repaired: read.failure,
  };
}

const NOTHING = { failure: undefined, handOff: undefined, repaired: undefined } as const;

type AgentResult = Pick<AgentRun, 'failure' | 'handOff'>;

function isUnusable(result: AgentResult): result is AgentResult & { failure: StepFailure } {
  return result.failure?.reason.startsWith('hand_off_') === true;
}

/** The exit of one sandbox; undefined when a halt came before it could be started. */
async function startOnce(
  work: RunWork,
  start: AgentStart,
  wallMs: number,
  repair?: string,
): Promise<SandboxExit | undefined> {
  const spec = await start.specFor(wallMs, repair);
  if (!(await mayStart(work, start.repositoryId))) return undefined;
  return work.driver.run(spec, {
    signal: work.signals.agent,
    onStdout: () => crashPoint('launcher:sandbox_runs'),
  });
}

async function readResult(
  work: RunWork,
  exit: SandboxExit,
  start: AgentStart,
): Promise<AgentResult> {
  const failure = judgeExit(exit);
  if (failure !== undefined) return { failure, handOff: undefined };
  const read = await readAnywhere(work, exit, start);
  if (read.ok) return { failure: undefined, handOff: read.handOff };
  return {
    failure: { reason: `hand_off_${read.problem}`, message: read.message },
    handOff: undefined,
  };
}

async function readAnywhere(
  { workspace }: RunWork,
  exit: SandboxExit,
  start: AgentStart,
): Promise<ReadHandOff> {
  const read = await readHandOff(workspace, start.outDirectory);
  const isMissing = !read.ok && read.problem === 'missing';
  return isMissing && start.handOffFrom === 'last_message'
    ? handOffInWords(exit.stdout.text)
    : read;
}
