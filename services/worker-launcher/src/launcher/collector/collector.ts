/**
 * Runs git for the launcher, which itself never does: in a sandbox without agent, network or credential, by one program
 * that comes with the launcher. The launcher moves bytes on pipes.
 */
import { fileURLToPath } from 'node:url';
import { gitEnvironment, gitGlobalArguments } from '@sallyport/git/environment';
import { AppError, type ErrorCode } from '@sallyport/shared/errors';
import { newId } from '@sallyport/shared/ids';
import { z } from 'zod';
import type { SandboxDriver, SandboxEnd, SandboxLimits, SandboxMount } from '../sandbox/driver.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { createFrameDecoder, encodeFrame, type Frame } from './frames.ts';
import {
  COLLECTOR_PROBLEMS,
  type CollectorOperation,
  type CollectorProblem,
  type ResultsOf,
} from './operation.ts';

const MIB = 1024 * 1024;
const INSIDE = fileURLToPath(new URL('inside/', import.meta.url));

export const COLLECTOR_LIMITS: SandboxLimits = {
  wallMs: 5 * 60_000,
  graceMs: 500,
  memoryBytes: 3072 * MIB,
  processes: 256,
  fileBytes: 2048 * MIB,
  diskBytes: 8192 * MIB,
  outputBytes: 1024 * MIB,
  openFiles: 1024,
};

export interface CollectorRequest<T extends readonly CollectorOperation<unknown>[]> {
  id: string;
  labels: Readonly<Record<string, string>>;
  /** The mirror; writable only to extend it. Made if it is not there. */
  mirror: { directory: string; access: 'read_only' | 'read_write' };
  /** The run's directory. Made if it is not there. Absent when only a mirror is extended. */
  run?: string;
  /** What a step saw, its own layer first: for `takeTree` of a layer. `view` is a directory for this collector alone. */
  look?: { layers: readonly string[]; view: string };
  /** An environment, writable only to take it in. */
  environment?: { directory: string; access: 'read_only' | 'read_write' };
  operations: readonly [...T];
  signal?: AbortSignal;
}

export interface Collector {
  /**
   * Performs operations in one sandbox, in their order, and stops at the first that fails.
   * @throws AppError: `bad_input` (bad_pack, source_incomplete, unusable_tree), `conflict` (step_exists), `too_large`,
   *   `halted` (stopped by the signal), `unavailable` (no sandbox to be had), `internal`; `detail.problem` or
   *   `detail.end` says which. Whatever an input stream or `onData` threw comes out unchanged.
   */
  run<const T extends readonly CollectorOperation<unknown>[]>(
    request: CollectorRequest<T>,
  ): Promise<ResultsOf<T>>;
}

/** Creates the launcher's access to collectors. */
export function createCollector(
  driver: SandboxDriver,
  workspace: Pick<Workspace, 'makeDirectory'>,
  limits: SandboxLimits = COLLECTOR_LIMITS,
): Collector {
  return {
    async run(request) {
      for (const directory of [request.mirror.directory, request.run]) {
        if (directory !== undefined) await workspace.makeDirectory(directory);
      }
      const answers = createAnswers(request.operations);
      const exit = await driver.run(
        {
          // Collectors of different runs are asked for by the same names.
          id: `${request.id}-${newId()}`,
          argv: [driver.node, '/collector/collect.mjs'],
          env: { PATH: '/usr/bin:/bin' },
          cwd: '/tmp',
          mounts: mountsOf(request),
          network: 'none',
          limits,
          labels: { ...request.labels, kind: 'collector' },
          stdin: requestBytes(request.operations),
        },
        {
          onStdout: (piece) => answers.take(piece),
          ...(request.signal === undefined ? {} : { signal: request.signal }),
        },
      );
      return answers.finish(exit.end, exit.stderr.text) as ResultsOf<typeof request.operations>;
    },
  };
}

function mountsOf(
  request: CollectorRequest<readonly CollectorOperation<unknown>[]>,
): SandboxMount[] {
  const { directory, access } = request.mirror;
  const mounts: SandboxMount[] = [
    { kind: 'bind', role: 'collector', source: INSIDE, target: '/collector', access: 'read_only' },
    { kind: 'bind', role: 'mirror', source: directory, target: '/c/mirror', access },
  ];
  if (request.run !== undefined) {
    mounts.push({
      kind: 'bind',
      role: 'run',
      source: request.run,
      target: '/c/run',
      access: 'read_write',
    });
  }
  if (request.environment !== undefined) {
    mounts.push({
      kind: 'bind',
      role: 'environment',
      source: request.environment.directory,
      target: '/c/environment',
      access: request.environment.access,
    });
  }
  if (request.look !== undefined) {
    mounts.push({
      kind: 'overlay',
      role: 'look',
      ...request.look,
      target: '/c/merged',
      access: 'read_only',
    });
  }
  return mounts;
}

async function* requestBytes(
  operations: readonly CollectorOperation<unknown>[],
): AsyncGenerator<Uint8Array> {
  const request = {
    git: { env: gitEnvironment({ origin: 'source' }), args: gitGlobalArguments('source') },
    operations: operations.map((o) => ({
      name: o.name,
      params: o.params,
      hasInput: o.input !== undefined,
    })),
  };
  yield encodeFrame('J', Buffer.from(JSON.stringify(request)));
  for (const operation of operations) {
    if (operation.input === undefined) continue;
    for await (const piece of operation.input) yield encodeFrame('D', piece);
    yield encodeFrame('E');
  }
}

const AnswerSchema = z.discriminatedUnion('ok', [
  z.object({ ok: z.literal(true), name: z.string(), result: z.unknown() }),
  z.object({
    ok: z.literal(false),
    name: z.string(),
    problem: z.enum(COLLECTOR_PROBLEMS),
    message: z.string(),
  }),
]);

const PROBLEM_CODES: Readonly<Record<CollectorProblem, ErrorCode>> = {
  bad_pack: 'bad_input',
  source_incomplete: 'bad_input',
  unusable_tree: 'bad_input',
  step_exists: 'conflict',
  too_large: 'too_large',
  git_failed: 'internal',
};

interface Answers {
  take(piece: Buffer): Promise<void>;
  finish(end: SandboxEnd, words: string): unknown[];
}

function createAnswers(operations: readonly CollectorOperation<unknown>[]): Answers {
  const decoder = createFrameDecoder();
  const results: unknown[] = [];
  let failure: AppError | undefined;

  async function takeFrame(frame: Frame): Promise<void> {
    const operation = operations[results.length];
    if (operation === undefined)
      throw new AppError('internal', 'the collector answered more than it was asked');
    if (frame.kind === 'D') await operation.onData?.(frame.content);
    if (frame.kind !== 'J') return;
    const answer = AnswerSchema.parse(JSON.parse(frame.content.toString('utf8')));
    if (answer.ok) {
      results.push(operation.result.parse(answer.result));
      return;
    }
    failure = new AppError(PROBLEM_CODES[answer.problem], `${answer.name}: ${answer.message}`, {
      detail: { operation: answer.name, problem: answer.problem },
    });
  }

  return {
    async take(piece) {
      for (const frame of decoder.push(piece)) await takeFrame(frame);
    },
    finish(end, words) {
      if (failure !== undefined) throw failure;
      if (end.kind === 'exited' && end.code === 0 && results.length === operations.length)
        return results;
      throw endError(end, words);
    },
  };
}

function endError(end: SandboxEnd, words: string): AppError {
  const detail = { end, words: words.slice(-2000) };
  switch (end.kind) {
    case 'stopped':
      return new AppError('halted', 'the collector was stopped', { detail });
    case 'start_failed':
      return new AppError('unavailable', `no sandbox for the collector: ${end.detail}`, { detail });
    case 'timed_out':
    case 'output_limit':
    case 'memory_limit':
    case 'process_limit':
    case 'disk_limit':
      return new AppError('too_large', `the collector passed its bounds (${end.kind})`, { detail });
    case 'exited':
    case 'signalled':
      return new AppError('internal', `the collector broke off: ${words.trim().slice(-500)}`, {
        detail,
      });
  }
}
