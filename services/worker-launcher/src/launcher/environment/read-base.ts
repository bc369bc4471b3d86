/** What of the base commit an environment depends on, read by a collector: never from a tree that a step could have written. */
import { AppError } from '@sallyport/shared/errors';
import { ENVIRONMENT_FILE_MAX_BYTES } from '@sallyport/teams/environment/read-environment-file';
import { mirrorDirectory } from '../collector/layout.ts';
import { readFiles, type ReadFiles } from '../collector/read-files.ts';
import type { AdmittedRun, RunWork } from '../run/work.ts';

const LOCKFILES_MAX_BYTES = 64 * 1024 * 1024;

/** The file's text, `missing`, or `unreadable` when something else than a file, or too much, lies there. */
export type BaseFile =
  | { kind: 'text'; text: string }
  | { kind: 'missing' }
  | { kind: 'unreadable' };

/** @returns null when the base commit is not in the source that was fetched. */
export async function readBaseFile(
  work: RunWork,
  admitted: AdmittedRun,
  path: string,
): Promise<BaseFile | null> {
  try {
    const read = await perform(work, admitted, [path], true, ENVIRONMENT_FILE_MAX_BYTES);
    const file = read.files[0];
    if (file?.kind === 'missing') return { kind: 'missing' };
    if (file?.kind !== 'file' || file.base64 === null) return { kind: 'unreadable' };
    return { kind: 'text', text: Buffer.from(file.base64, 'base64').toString('utf8') };
  } catch (error) {
    const problem = error instanceof AppError ? error.detail['problem'] : undefined;
    if (problem === 'source_incomplete') return null;
    if (problem === 'too_large') return { kind: 'unreadable' };
    throw error;
  }
}

/** The base's tree, and the hashes of these files in it, in their order; what is no file has none. */
export async function hashBaseFiles(
  work: RunWork,
  admitted: AdmittedRun,
  paths: readonly string[],
): Promise<{ tree: string; files: { path: string; sha256: string | null }[] }> {
  const { tree, files } = await perform(work, admitted, paths, false, LOCKFILES_MAX_BYTES);
  return {
    tree,
    files: files.map((file) => ({
      path: file.path,
      sha256: file.kind === 'file' ? file.sha256 : null,
    })),
  };
}

async function perform(
  work: RunWork,
  { task, claims }: AdmittedRun,
  paths: readonly string[],
  content: boolean,
  maxBytes: number,
): Promise<ReadFiles> {
  const [read] = await work.collector.run({
    id: 'read-base',
    labels: { task: task.id, run: work.lease.runId },
    mirror: { directory: mirrorDirectory(work.stateDir, task.repositoryId), access: 'read_only' },
    run: work.directories.pathOf(work.lease),
    operations: [readFiles({ commit: claims.base.sha, paths, content, maxBytes })],
    signal: work.signals.agent,
  });
  return read;
}
