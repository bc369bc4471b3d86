/**
 * The bytes that a run hands to the publisher, read as a third party would: with git, from its bundle, upon the files that
 * the repository had.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { readArtifact } from '@sallyport/shared/artifacts/store';
import type { Pool } from '@sallyport/shared/db/pool';

const MAX_BYTES = 64 * 1024 * 1024;

export interface WorkOfRun {
  tree: string;
  /** Every file of the tree that the bundle holds, by path. */
  files: Readonly<Record<string, string>>;
}

/** Reads the bundle of a task's run, with an operator's rights. */
export async function readWork(
  db: Pool,
  taskId: string,
  baseFiles: Readonly<Record<string, string>>,
): Promise<WorkOfRun> {
  const { rows } = await db.query<{ bundle: string; head: string }>(
    `select bundle_artifact_id as bundle, head_oid as head from run where task_id = $1`,
    [taskId],
  );
  const run = rows[0];
  if (run === undefined) throw new Error('the task has no run');
  const directory = mkdtempSync(join(tmpdir(), 'work-of-run-'));
  const git = (args: readonly string[], input?: Buffer): string =>
    execFileSync('/usr/bin/git', args, {
      cwd: directory,
      env: { PATH: '/usr/bin:/bin', HOME: '/nonexistent', GIT_CONFIG_NOSYSTEM: '1' },
      ...(input === undefined ? {} : { input }),
      stdio: ['pipe', 'pipe', 'ignore'],
      maxBuffer: MAX_BYTES,
    }).toString();
  try {
    git(['init', '-q']);
    for (const [path, content] of Object.entries(baseFiles)) {
      mkdirSync(dirname(join(directory, path)), { recursive: true });
      writeFileSync(join(directory, path), content);
    }
    git(['add', '-A']);
    git(['write-tree']);
    const bundle = await readArtifact(db, run.bundle, MAX_BYTES);
    // Without its header, because of the base there is the content here and not the commit.
    const pack = bundle.subarray(bundle.indexOf('\n\n') + 2);
    git(['index-pack', '--stdin', '--fix-thin'], pack);
    const names = git(['ls-tree', '-r', '-z', '--name-only', run.head]).split('\0').filter(Boolean);
    return {
      tree: git(['rev-parse', `${run.head}^{tree}`]).trim(),
      files: Object.fromEntries(names.map((name) => [name, git(['show', `${run.head}:${name}`])])),
    };
  } finally {
    rmSync(directory, { recursive: true });
  }
}
