/**
 * Imports one bundle that an agent's work ended in: every step proves something about the bytes before the next step may
 * rely on it, in an order in which no step can be made to run away. Works in a throw-away repository that is removed
 * whatever happens, and publishes nothing itself.
 */
import { createHash } from 'node:crypto';
import { AppError } from '@sallyport/shared/errors';
import type { BaseStore } from './base-store.ts';
import type { GitPlace } from './batch-reader.ts';
import { boundPaths } from './bound-paths.ts';
import { parseBundle, type ExpectedBundle } from './bundle-header.ts';
import type { CommitFact, ImportedBundle } from './import-facts.ts';
import type { ImportLimits } from './import-limits.ts';
import { BundleRefused } from './import-reasons.ts';
import { makeCleanPack } from './make-clean-pack.ts';
import { createQuarantine } from './quarantine.ts';
import { readChanges } from './read-changes.ts';
import { readContents } from './read-contents.ts';
import { readHistory } from './read-history.ts';
import { indexPack, readInventory, requireReachable } from './read-inventory.ts';
import { HOSTILE_RESOURCES } from './run-git.ts';

export interface ImportRequest {
  bundle: Uint8Array;
  expected: ExpectedBundle;
  limits: ImportLimits;
  base: BaseStore;
  /** A directory for the throw-away repository. */
  workDir: string;
}

/**
 * Runs the whole import.
 * @throws BundleRefused when the bundle is to be refused; AppError `bad_input` when the base store is not that of the
 * expected start commit, and others when this side failed.
 */
export async function importBundle(request: ImportRequest): Promise<ImportedBundle> {
  const { bundle, expected, limits, base } = request;
  if (base.commit !== expected.base) {
    throw new AppError('bad_input', 'the base store holds another commit than the expected start');
  }
  if (bundle.length > limits.bundleBytes) {
    throw new BundleRefused(
      'bundle_too_large',
      `${bundle.length} bytes; at most ${limits.bundleBytes} are allowed`,
    );
  }
  const header = parseBundle(bundle, expected, limits.packObjects);
  const quarantine = await createQuarantine(request.workDir, base.objectsDir);
  const deadline = Date.now() + limits.wallMs;
  try {
    return await importPack(request, header, {
      gitDir: quarantine.gitDir,
      resources: {
        ...HOSTILE_RESOURCES,
        // A thin pack grows by its bases; a raised cap on bundles must not end in this one.
        fileBytes: Math.max(HOSTILE_RESOURCES.fileBytes, 2 * limits.bundleBytes),
      },
      // Each command spreads this object and so reads the getter when it starts: all share one budget of time.
      get timeoutMs(): number {
        const left = deadline - Date.now();
        if (left <= 0) throw new AppError('transient', 'the import ran out of time');
        return left;
      },
    });
  } catch (error) {
    throw asRefusal(error);
  } finally {
    await quarantine.remove();
  }
}

async function importPack(
  { bundle, expected, limits, base }: ImportRequest,
  header: { head: string; packOffset: number; objectCount: number },
  place: GitPlace,
): Promise<ImportedBundle> {
  const packName = await indexPack(place, bundle.subarray(header.packOffset), limits);
  const inventory = await readInventory(place, packName, limits);
  const history = await readHistory(place, header.head, expected.base, limits.commits);
  await requireReachable(place, inventory, header.head, base);

  const headTree = history.at(-1)?.tree ?? base.tree;
  await boundPaths(
    place,
    history.map((commit) => commit.tree),
    base.pathBytes + limits.extraPathBytes,
  );
  const changes = await readChanges(place, base.tree, headTree, limits.changes);
  const commits: CommitFact[] = [];
  let previous = base.tree;
  for (const commit of history) {
    const own = await readChanges(place, previous, commit.tree, limits.changes);
    commits.push({ ...commit, changes: own });
    previous = commit.tree;
  }
  const { blobs, contents } = await readContents(place, changes, commits, limits);
  const cleanPack = await makeCleanPack(place, headTree, base.tree, limits);
  return {
    facts: {
      v: 1,
      ref: expected.ref,
      base: expected.base,
      baseTree: base.tree,
      headOid: header.head,
      headTree,
      bundleSha256: createHash('sha256').update(bundle).digest('hex'),
      bundleBytes: bundle.length,
      objectCount: inventory.size,
      objectBytes: [...inventory.values()].reduce((sum, info) => sum + info.size, 0),
      commits,
      changes,
      blobs,
    },
    contents,
    cleanPack,
  };
}

/** A step that ran out of time or past its limits is an answer about the bundle; anything else is our own failure. */
function asRefusal(error: unknown): unknown {
  if (!(error instanceof AppError)) return error;
  if (error.code === 'transient') {
    return new BundleRefused('time_limit', error.message, { cause: error });
  }
  if (error.code === 'too_large') {
    return new BundleRefused('pack_over_limits', error.message, { cause: error });
  }
  return error;
}
