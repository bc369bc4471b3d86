/**
 * Takes the pack apart under limits: indexes it with every object checked, lists what it holds, and proves that it holds
 * what the head needs and nothing else.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '@sallyport/shared/errors';
import type { BaseStore } from './base-store.ts';
import { readObjectInfo, type GitPlace, type ObjectInfo, type ObjectKind } from './batch-reader.ts';
import type { ImportLimits } from './import-limits.ts';
import { BundleRefused } from './import-reasons.ts';
import { isOid } from './oid.ts';
import { attemptGit, gitFailure, hitKernelLimit, runGit } from './run-git.ts';
import type { SpawnResult } from './spawn-limited.ts';

// The modes that git merely warns about are the ones that carry setuid bits; both checks are errors here.
const STRICT = '--strict=badFilemode=error,gitattributesSymlink=error';

/**
 * Writes the pack into the repository and returns its name (40 hex digits).
 * @throws BundleRefused `pack_refused`, `pack_over_limits`, `missing_object`, `time_limit`.
 */
export async function indexPack(
  place: GitPlace,
  pack: Uint8Array,
  limits: Pick<ImportLimits, 'bundleBytes'>,
): Promise<string> {
  const result = await attemptGit({
    ...place,
    args: ['index-pack', '--stdin', '--fix-thin', STRICT, `--max-input-size=${limits.bundleBytes}`],
    stdin: pack,
    maxStdoutBytes: 1_024,
  });
  if (result.end !== 'exited' || result.exitCode !== 0) throw refusal(result);
  const name = /^pack\t([0-9a-f]{40})\n$/.exec(result.stdout.toString('latin1'))?.[1];
  if (name === undefined) throw new AppError('internal', 'index-pack did not name its pack');
  return name;
}

const OVER_LIMITS = /over limit|maximum allowed size|out of memory|memory exhausted/i;
const MISSING = /did not receive expected object|missing (blob|tree|commit)/;

// The end is a refusal in every case; git's words (fixed version, C locale) only choose the name that is shown.
function refusal(result: SpawnResult): Error {
  if (result.end === 'timed_out') return gitFailure('index-pack', result);
  if (hitKernelLimit(result) || OVER_LIMITS.test(result.stderr)) {
    return new BundleRefused(
      'pack_over_limits',
      `reading the pack passed a limit: ${last(result)}`,
    );
  }
  const reason = MISSING.test(result.stderr) ? 'missing_object' : 'pack_refused';
  return new BundleRefused(reason, `git refused the pack: ${last(result)}`);
}

function last(result: SpawnResult): string {
  return result.stderr.split('\n').slice(-3).join('; ') || String(result.signal ?? result.exitCode);
}

/**
 * Every object of the pack with kind and size.
 * @throws BundleRefused `object_kind`, `object_too_large`.
 */
export async function readInventory(
  place: GitPlace,
  packName: string,
  limits: ImportLimits,
): Promise<Map<string, ObjectInfo>> {
  const indexFile = join(place.gitDir ?? '', 'objects/pack', `pack-${packName}.idx`);
  const listing = await runGit({
    ...place,
    args: ['show-index'],
    stdin: await readFile(indexFile),
    maxStdoutBytes: limits.packObjects * 128,
  });
  const oids = listing
    .toString('latin1')
    .split('\n')
    .slice(0, -1)
    .map((line) => line.split(' ')[1] ?? '');
  if (!oids.every(isOid)) throw new AppError('internal', 'show-index answered in another form');
  const inventory = await readObjectInfo(place, oids);
  checkSizes(inventory, limits);
  return inventory;
}

function checkSizes(inventory: ReadonlyMap<string, ObjectInfo>, limits: ImportLimits): void {
  const cap: Readonly<Record<ObjectKind, number>> = {
    blob: limits.blobBytes,
    tree: limits.treeBytes,
    commit: limits.commitBytes,
    tag: -1,
  };
  let total = 0;
  for (const { oid, kind, size } of inventory.values()) {
    if (kind === 'tag') throw new BundleRefused('object_kind', `the pack holds a tag (${oid})`);
    if (size > cap[kind]) {
      throw new BundleRefused(
        'object_too_large',
        `${kind} ${oid} has ${size} bytes; at most ${cap[kind]} are allowed`,
      );
    }
    total += size;
    if (total > limits.totalObjectBytes) {
      throw new BundleRefused(
        'object_too_large',
        `the objects have more than ${limits.totalObjectBytes} bytes together`,
      );
    }
  }
}

/**
 * Proves that everything the head needs is there, and that whatever else the pack holds is known to the base (`--fix-thin`
 * appends delta bases from there).
 * @throws BundleRefused `missing_object`, `unreachable_object`.
 */
export async function requireReachable(
  place: GitPlace,
  inventory: ReadonlyMap<string, ObjectInfo>,
  head: string,
  base: BaseStore,
): Promise<void> {
  const walk = await attemptGit({
    ...place,
    args: [
      'rev-list',
      '--objects',
      '--missing=error',
      '--no-object-names',
      head,
      '--not',
      base.commit,
    ],
    maxStdoutBytes: 64 * (inventory.size + 1_000_000),
  });
  if (walk.end !== 'exited' || hitKernelLimit(walk)) throw gitFailure('rev-list', walk);
  if (walk.exitCode !== 0) {
    throw new BundleRefused('missing_object', `the history is not complete: ${last(walk)}`);
  }
  const reachable = new Set(walk.stdout.toString('latin1').split('\n'));
  const rest = [...inventory.keys()].filter((oid) => !reachable.has(oid));
  const known = await readObjectInfo({ ...place, gitDir: base.gitDir }, rest);
  const stray = rest.find((oid) => !known.has(oid));
  if (stray !== undefined) {
    throw new BundleRefused('unreachable_object', `the head does not need object ${stray}`);
  }
}
