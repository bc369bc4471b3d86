/**
 * One container from its first byte of input to its exit: attached before it is started and waited for before it can end,
 * so that nothing it prints and no exit is missed, however short it is.
 */
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { AppError, errorCodeOf } from '@sallyport/shared/errors';
import type { GuardCreate } from './docker-body.ts';
import type { EngineContainer } from './docker-engine.ts';
import { createOutputFrames } from './docker-frames.ts';
import type { OutputConnection } from './docker-output.ts';
import { watchContainer, type UsageOf } from './docker-watch.ts';
import type { SandboxEnd, SandboxExit, SandboxHooks, SandboxSpec } from './driver.ts';
import { endOfCode } from './exit-code.ts';
import { superviseSandbox, type Supervision } from './supervision.ts';

const SIGNAL_RETRY_MS = 250;
const LOOK_MS = 5_000;
const POLL_MS = 500;
/** What a program printed last is read long before; a connection that then stays open is broken. */
const LAST_WORDS_MS = 10_000;

export interface ContainerRun {
  container: EngineContainer;
  body: GuardCreate;
  spec: SandboxSpec;
  hooks: SandboxHooks;
  startedAt: number;
  usageOf: UsageOf;
}

/** The container's connections: input has one of its own, so that a program which does not read it loses no output. */
export interface ContainerStreams {
  output: OutputConnection;
  input: Socket | undefined;
}

/**
 * Starts a container that was created and attached, and stays with it to its end. Whoever calls removes it.
 * @throws AppError of a start that failed (`onStarted` was not called), `unavailable` when engine or guard were lost on the
 *   way, and what a consumer or a source threw.
 */
export async function runContainer(
  run: ContainerRun,
  { output, input }: ContainerStreams,
  onStarted: () => void,
): Promise<SandboxExit> {
  const { container, body, spec, hooks, startedAt, usageOf } = run;
  // Asked before the start and answered after the end; its failure is looked at where it is awaited.
  const nextExit = container.wait('next-exit');
  nextExit.catch(() => undefined);
  await container.start();
  onStarted();
  const over = new AbortController();
  let killing = false;
  const supervision = superviseSandbox(spec, hooks, startedAt, {
    terminate: () => void signalContainer(container, 'TERM', over.signal),
    kill() {
      // Asked for with every piece of output that comes after the end.
      if (!killing) void signalContainer(container, 'KILL', over.signal);
      killing = true;
    },
  });
  const drained = drain(output, supervision, over.signal);
  if (spec.stdin instanceof Uint8Array) input?.end(spec.stdin);
  else if (input !== undefined) supervision.feed(input);
  void watchContainer({ container, body, limits: spec.limits, supervision, usageOf }, over.signal);
  try {
    const code = await exitCodeOf(container, nextExit);
    over.abort();
    supervision.settle();
    await drained;
    const { oomKilled } = await container.inspect();
    return supervision.finish(() => naturalEnd(code, oomKilled));
  } finally {
    over.abort();
    supervision.settle();
  }
}

/** The start may overtake the wait on its way, and a program that ended at once would be waited for in vain. */
async function exitCodeOf(container: EngineContainer, nextExit: Promise<number>): Promise<number> {
  for (;;) {
    const looking = new AbortController();
    const look = sleep(LOOK_MS, undefined, { signal: looking.signal }).catch(() => undefined);
    const code = await Promise.race([nextExit, look]).finally(() => looking.abort());
    if (code !== undefined) return code;
    const state = await container.inspect();
    if (!state.running) return state.exitCode;
  }
}

function naturalEnd(code: number, oomKilled: boolean): SandboxEnd {
  // Whatever the program made of it: the kernel ends one process, whose parent may go on as if nothing had happened.
  if (oomKilled) return { kind: 'memory_limit' };
  return endOfCode(code);
}

/** Reads to the end; never rejects. */
async function drain(
  output: OutputConnection,
  supervision: Supervision,
  over: AbortSignal,
): Promise<void> {
  const frames = createOutputFrames();
  let waitingSince: number | undefined;
  let timer: NodeJS.Timeout | undefined;
  over.addEventListener('abort', () => {
    waitingSince &&= performance.now();
    timer = setInterval(() => {
      if (waitingSince === undefined || performance.now() - waitingSince < LAST_WORDS_MS) return;
      output.destroy(new AppError('unavailable', 'the engine keeps the output of a sandbox open'));
    }, POLL_MS);
  });
  try {
    waitingSince = performance.now();
    for await (const chunk of output) {
      waitingSince = undefined;
      for (const { stream, bytes } of frames.push(chunk)) await supervision.take(stream, bytes);
      waitingSince = performance.now();
    }
    waitingSince = undefined;
    if (!frames.complete) throw new AppError('unavailable', 'the output of a sandbox broke off');
  } catch (error) {
    supervision.failWith(error);
  } finally {
    clearInterval(timer);
  }
}

/** Until it is heard or the container is over: a guard that is just being restarted must not keep an agent alive. */
async function signalContainer(
  container: EngineContainer,
  signal: 'TERM' | 'KILL',
  over: AbortSignal,
): Promise<void> {
  while (!over.aborted) {
    try {
      return await container.kill(signal);
    } catch (error) {
      const code = errorCodeOf(error);
      // It is gone, or runs no more.
      if (code === 'not_found' || code === 'conflict') return;
    }
    await sleep(SIGNAL_RETRY_MS);
  }
}
