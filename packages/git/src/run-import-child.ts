/**
 * The parent's side of an import: starts one child for the bundle inside the sandbox, gives it bytes, and takes an answer
 * that it checks. Whatever becomes of the child, nothing of the bundle stays on disk.
 */
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { crashPoint } from '@sallyport/shared/crash-point';
import { AppError } from '@sallyport/shared/errors';
import { readBasePaths } from './base-store.ts';
import { baseStoreDir, ensureBaseStore, sweepWorkRoot } from './base-store-cache.ts';
import type { ExpectedBundle } from './bundle-header.ts';
import { checkFacts, checkLengths } from './check-facts.ts';
import { isRecord, parseNegative, type ChildRequest } from './child-protocol.ts';
import { findChildRuntime, type ChildRuntime } from './child-runtime.ts';
import { cutPayload, splitFrame, writeFrameLine } from './frame.ts';
import type { ImportedBundle } from './import-facts.ts';
import type { ImportLimits } from './import-limits.ts';
import type { ImportReason } from './import-reasons.ts';
import { isolate, type Isolation, type Mount } from './isolation.ts';
import { SHELL_PATH } from './programs.ts';
import { QUARANTINE_PREFIX } from './quarantine.ts';
import { limitArguments, type Argv } from './run-git.ts';
import { spawnLimited, type SpawnResult } from './spawn-limited.ts';

/** The trusted source pack of the start commit. Its bytes are read only when no base store of it is kept. */
export interface BasePack {
  sha256: string;
  bytes: number;
  /** Commits of the pack whose parents it does not hold. */
  shallow: readonly string[];
  read(): AsyncIterable<Uint8Array>;
}

export interface ChildImportRequest {
  basePack: BasePack;
  bundle: Uint8Array;
  expected: ExpectedBundle;
  limits: ImportLimits;
  isolation: Isolation;
  /** A directory of this process alone; base stores are kept in it. */
  workRoot: string;
  /** From `prepareChildRuntime`, once per process; without it each child is loaded from source. */
  runtime?: ChildRuntime;
}

/** `basePaths`: every file path of the start commit, or null when there are too many to list. */
export type ChildImportResult =
  | ({ ok: true; basePaths: string[] | null } & ImportedBundle)
  | { ok: false; reason: ImportReason; message: string };

const BASE_TIMEOUT_MS = 300_000;
const CHILD_CPU_SECONDS = 60;
const BASE_CPU_SECONDS = 600;
const OPEN_FILES = 1_024;

/**
 * Imports the bundle in a child of its own.
 * @throws AppError when the question could not be put: `bad_input` for a source pack without the start commit,
 * `unavailable` for a child that cannot start, or what the child names. A refusal of the bundle is a result.
 */
export async function importInChild(request: ChildImportRequest): Promise<ChildImportResult> {
  const { workRoot, basePack, expected } = request;
  await mkdir(workRoot, { recursive: true, mode: 0o700 });
  await sweepWorkRoot(workRoot);
  if (request.bundle.length > request.limits.bundleBytes) {
    return {
      ok: false,
      reason: 'bundle_too_large',
      message: `${request.bundle.length} bytes; at most ${request.limits.bundleBytes} are allowed`,
    };
  }
  const baseDir = baseStoreDir(workRoot, basePack, expected.base);
  await ensureBaseStore(workRoot, baseDir, (dir) => buildBase(request, dir));
  const workDir = await mkdtemp(join(workRoot, QUARANTINE_PREFIX));
  try {
    const result = await runChild(request, {
      ask: {
        kind: 'bundle',
        baseDir,
        workDir,
        expected,
        limits: request.limits,
        bundleBytes: request.bundle.length,
      },
      payload: [request.bundle],
      readOnly: [{ path: baseDir }],
      writable: [{ path: workDir }],
      timeoutMs: request.limits.wallMs,
      cpuSeconds: CHILD_CPU_SECONDS,
      maxStdoutBytes: maxAnswerBytes(request.limits),
    });
    return await readAnswer(result, baseDir);
  } finally {
    await rm(workDir, { recursive: true, force: true });
  }
}

async function buildBase(request: ChildImportRequest, gitDir: string): Promise<void> {
  const { basePack, expected } = request;
  const result = await runChild(request, {
    ask: {
      kind: 'base',
      gitDir,
      commit: expected.base,
      shallow: [...basePack.shallow],
      packBytes: basePack.bytes,
      timeoutMs: BASE_TIMEOUT_MS,
    },
    payload: basePack.read(),
    readOnly: [],
    writable: [{ path: gitDir }],
    timeoutMs: BASE_TIMEOUT_MS,
    cpuSeconds: BASE_CPU_SECONDS,
    maxStdoutBytes: 65_536,
  });
  if (result.end === 'timed_out')
    throw new AppError('transient', 'building a base store ran out of time');
  const head = result.stdout.length === 0 ? undefined : splitFrame(result.stdout).head;
  if (isRecord(head) && head['kind'] === 'built') return;
  throw failure(head, result);
}

interface ChildRun {
  ask: ChildRequest;
  payload: AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
  readOnly: readonly Mount[];
  writable: readonly Mount[];
  timeoutMs: number;
  cpuSeconds: number;
  maxStdoutBytes: number;
}

async function runChild(request: ChildImportRequest, run: ChildRun): Promise<SpawnResult> {
  const runtime = request.runtime ?? findChildRuntime();
  // No address-space limit here: Node reserves far more than it uses. Each git child gets its own.
  const argv: Argv = [
    ...limitArguments({ cpuSeconds: run.cpuSeconds, openFiles: OPEN_FILES }),
    runtime.node,
    ...runtime.nodeArgs,
    runtime.script,
  ];
  const env = {
    PATH: SHELL_PATH,
    HOME: '/nonexistent',
    LC_ALL: 'C',
    TZ: 'UTC',
    TSX_DISABLE_CACHE: '1',
  };
  const sandbox = { readOnly: [...runtime.readOnly, ...run.readOnly], writable: run.writable };
  return spawnLimited({
    argv: isolate(request.isolation, sandbox, argv, env),
    env,
    stdin: framed(run.ask, run.payload),
    timeoutMs: run.timeoutMs,
    maxStdoutBytes: run.maxStdoutBytes,
  });
}

async function* framed(
  head: ChildRequest,
  payload: ChildRun['payload'],
): AsyncGenerator<Uint8Array> {
  yield writeFrameLine(head);
  yield* payload;
  if (head.kind === 'base') crashPoint('importer:child_reads_source');
  if (head.kind === 'bundle') crashPoint('importer:child_reads_bundle');
}

async function readAnswer(result: SpawnResult, baseDir: string): Promise<ChildImportResult> {
  if (result.end === 'timed_out') {
    return { ok: false, reason: 'time_limit', message: 'the import did not end in its time' };
  }
  if (result.end !== 'exited' || result.exitCode !== 0 || result.stdout.length === 0) {
    const how = result.end === 'exited' ? (result.signal ?? result.exitCode) : result.end;
    return {
      ok: false,
      reason: 'child_died',
      message: `the import child ended with ${how}: ${result.stderr}`,
    };
  }
  const { head, payload } = splitFrame(result.stdout);
  if (!isRecord(head) || head['kind'] !== 'imported') {
    const negative = parseNegative(head);
    if (negative?.kind === 'refused')
      return { ok: false, reason: negative.reason, message: negative.message };
    throw failure(head, result);
  }
  const facts = checkFacts(head['facts']);
  const lengths = checkLengths(head['contents']);
  const parts = cutPayload(payload, [...lengths.map((l) => l.bytes), Number(head['packBytes'])]);
  const cleanPack = parts.pop() ?? Buffer.alloc(0);
  const contents = new Map(lengths.map(({ oid }, index) => [oid, parts[index] ?? Buffer.alloc(0)]));
  return { ok: true, facts, contents, cleanPack, basePaths: await readBasePaths(baseDir) };
}

function failure(head: unknown, result: SpawnResult): AppError {
  const negative = parseNegative(head);
  if (negative?.kind === 'failed') return new AppError(negative.code, negative.message);
  if (negative?.kind === 'refused') return new AppError('bad_input', negative.message);
  return new AppError('internal', `an import child gave no answer: ${result.stderr}`);
}

function maxAnswerBytes(limits: ImportLimits): number {
  const paths = (limits.commits + 1) * limits.changes * 2_048;
  return paths + 4 * limits.contentTotalBytes + limits.totalObjectBytes + 4_194_304;
}
