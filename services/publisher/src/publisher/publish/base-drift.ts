/**
 * Whether what has happened on the base since the start touches the change. Nothing is rebased, so a change that overlaps
 * with newer work would be reviewed against a base that no longer exists.
 */
import { errorCodeOf } from '@sallyport/shared/errors';
import { z } from 'zod';
import { readRef } from '../github/read-ref.ts';
import { readReply } from '../github/reply.ts';
import type { TokenGrant } from '../github/token.ts';
import { hold, type Stop } from './stop.ts';

/** A comparison lists no more files than this, whatever there are. */
const MAX_COMPARED_FILES = 300;

const ComparisonSchema = z.object({
  merge_base_commit: z.object({ sha: z.string() }),
  files: z
    .array(z.object({ filename: z.string(), previous_filename: z.string().optional() }))
    .default([]),
});

/** Null when the base is where it was, or has moved elsewhere in the tree. */
export async function findBaseDrift(
  grant: TokenGrant,
  base: { ref: string; sha: string },
  changedPaths: readonly string[],
): Promise<Stop | null> {
  const tip = await readRef(grant, `heads/${base.ref}`);
  if (tip === null) return hold('base_gone', `The base branch no longer exists.`);
  if (tip === base.sha) return null;
  const comparison = await compare(grant, base.sha, tip);
  if (comparison?.merge_base_commit.sha !== base.sha) {
    return hold(
      'base_rewritten',
      'The base branch no longer contains the commit that the work started from.',
    );
  }
  if (comparison.files.length >= MAX_COMPARED_FILES) {
    return hold(
      'base_drift_unknown',
      'So much has changed on the base branch that GitHub does not list all of it.',
    );
  }
  const moved = comparison.files.flatMap((file) => [
    file.filename,
    file.previous_filename ?? file.filename,
  ]);
  if (!overlaps(moved, changedPaths)) return null;
  return hold(
    'base_overlap',
    'Files of this change were changed on the base branch after the work started.',
  );
}

async function compare(
  grant: TokenGrant,
  from: string,
  to: string,
): Promise<z.infer<typeof ComparisonSchema> | null> {
  try {
    const reply = await grant.octokit.request('GET /repos/{owner}/{repo}/compare/{basehead}', {
      owner: grant.repository.owner,
      repo: grant.repository.name,
      basehead: `${from}...${to}`,
    });
    return readReply(ComparisonSchema, reply, 'comparing the base');
  } catch (error) {
    if (errorCodeOf(error) !== 'not_found') throw error;
    return null;
  }
}

/** Whether two lists of paths share one, or one path lies below another (a file became a folder). */
export function overlaps(left: readonly string[], right: readonly string[]): boolean {
  const known = new Set<string>();
  for (const path of left) for (const prefix of prefixes(path)) known.add(prefix);
  const exact = new Set(left);
  return right.some(
    (path) => known.has(path) || prefixes(path).some((prefix) => exact.has(prefix)),
  );
}

/** The path and every folder above it. */
function prefixes(path: string): string[] {
  const parts = path.split('/');
  return parts.map((_, index) => parts.slice(0, index + 1).join('/'));
}
