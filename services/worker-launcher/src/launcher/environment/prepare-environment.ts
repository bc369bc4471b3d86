/**
 * Gives a run the environment that its base commit or the operator asks for: one that was made before, or a new one. A run
 * whose environment cannot be had fails here, before any agent is paid for tests that could not run.
 */
import { AppError } from '@sallyport/shared/errors';
import { ENVIRONMENT_PATH } from '@sallyport/teams/environment/read-environment-file';
import { failRun } from '../run/run-stop.ts';
import type { AdmittedRun, RunWork } from '../run/work.ts';
import {
  askOperator,
  isProblem,
  readOwnEnvironment,
  resolveEnvironment,
  type ChosenEnvironment,
  type EnvironmentProblem,
} from './choose-environment.ts';
import { environmentKey } from './environment-key.ts';
import type { StoredEnvironment } from './environment-store.ts';
import { makeEnvironment, type MadeEnvironment } from './make-environment.ts';
import { hashBaseFiles, readBaseFile } from './read-base.ts';
import type { RunEnvironment } from './run-environment.ts';
import { tellFailure, tellReady } from './tell-environment.ts';

/**
 * @returns null for a run that needs none.
 * @throws RunStopped `failed` with the reason `environment_failed`, or when the run was interrupted.
 */
export async function prepareEnvironment(
  work: RunWork,
  admitted: AdmittedRun,
  startTree: string,
): Promise<RunEnvironment | null> {
  const startedAt = performance.now();
  const chosen = await choose(work, admitted);
  if (chosen === null) return null;
  if (isProblem(chosen)) return fail(work, chosen, null);
  const { task, claims } = admitted;
  const { tree, files } = await readLockfiles(work, admitted, chosen);
  const missing = files.filter(({ sha256 }) => sha256 === null).map(({ path }) => path);
  if (missing.length > 0) {
    const message = `the base commit ${claims.base.sha} has no file ${missing.join(', ')}; name under "lockfiles" files that it has`;
    return fail(work, { reason: 'lockfile_missing', message }, null);
  }
  const key = environmentKey({
    repositoryId: task.repositoryId,
    baseRef: claims.base.ref,
    environment: chosen.environment,
    lockfiles: files,
    registries: chosen.registries,
    host: work.environments.host,
  });
  const found = await work.environments.store.find(task.repositoryId, key, work.lease);
  const ready =
    found === undefined
      ? await make(work, admitted, { key, chosen, startTree, baseTree: tree })
      : { stored: found, made: null };
  await tellReady(work, { ...ready, chosen, durationMs: performance.now() - startedAt });
  const { directory, layer, record } = ready.stored;
  return { directory, layer, paths: record.paths };
}

/** Null: none is asked for. */
async function choose(
  work: RunWork,
  admitted: AdmittedRun,
): Promise<ChosenEnvironment | EnvironmentProblem | null> {
  const { settings } = work.environments;
  const { owner, name } = admitted.claims.repository;
  const repository = `${owner}/${name}`;
  const word = askOperator(settings, repository);
  if (word.kind === 'none') return null;
  if (word.kind === 'given') {
    return resolveEnvironment(settings, repository, word.environment, 'operator');
  }
  const file = await readBaseFile(work, admitted, ENVIRONMENT_PATH);
  // Where a run starts elsewhere than at its base, the base itself need not have been fetched.
  if (file === null) {
    const message = `the base commit ${admitted.claims.base.sha} is not in the source that was fetched; the run goes on without`;
    await tellFailure(work, { reason: 'base_unavailable', message }, null);
    return null;
  }
  if (file.kind === 'missing') return null;
  if (file.kind === 'unreadable') {
    const message = `${ENVIRONMENT_PATH} is no plain file of a readable size; make it one`;
    return { reason: 'file_unusable', message };
  }
  const own = readOwnEnvironment(file.text);
  return isProblem(own) ? own : resolveEnvironment(settings, repository, own, 'repository');
}

async function readLockfiles(
  work: RunWork,
  admitted: AdmittedRun,
  { environment }: ChosenEnvironment,
): ReturnType<typeof hashBaseFiles> {
  try {
    return await hashBaseFiles(work, admitted, environment.lockfiles);
  } catch (error) {
    const problem = error instanceof AppError ? error.detail['problem'] : undefined;
    if (problem === 'source_incomplete') {
      const message = `the base commit ${admitted.claims.base.sha} is not in the source that was fetched; an environment is made of nothing else`;
      return fail(work, { reason: 'base_unavailable', message }, null);
    }
    if (problem !== 'too_large' || !(error instanceof AppError)) throw error;
    return fail(work, { reason: 'lockfile_too_large', message: error.message }, null);
  }
}

async function make(
  work: RunWork,
  admitted: AdmittedRun,
  what: { key: string; chosen: ChosenEnvironment; startTree: string; baseTree: string },
): Promise<{ stored: StoredEnvironment; made: MadeEnvironment }> {
  const { store } = work.environments;
  const { key, ...making } = what;
  const directory = await store.begin(admitted.task.repositoryId, key, work.lease);
  let stored: StoredEnvironment | undefined;
  try {
    const end = await makeEnvironment(work, admitted, { ...making, directory });
    if (!end.ok) return await fail(work, end.problem, { key, exit: end.exit });
    const { paths, entries, bytes } = end.made.taken;
    stored = await store.complete(directory, {
      v: 1,
      key,
      paths,
      entries,
      bytes,
      commit: admitted.claims.base.sha,
      madeAt: new Date().toISOString(),
    });
    return { stored, made: end.made };
  } finally {
    if (stored === undefined) {
      await store.remove(directory).catch((error: unknown) => {
        work.log.error({ err: error, directory }, 'a broken environment cannot be removed');
      });
    }
  }
}

async function fail(
  work: RunWork,
  problem: EnvironmentProblem,
  attempt: Parameters<typeof tellFailure>[2],
): Promise<never> {
  await tellFailure(work, problem, attempt);
  failRun(
    'environment_failed',
    `the environment of the run (${problem.reason}): ${problem.message}`,
  );
}
