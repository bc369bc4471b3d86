/** The import as the importer runs it: a real child, real git, a sandbox where this host has one. */
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEFAULT_IMPORT_LIMITS } from './import-limits.ts';
import { detectIsolation, type Isolation } from './isolation.ts';
import { importInChild, type ChildImportResult } from './run-import-child.ts';
import { benignBundle, BRANCH_REF, FIXTURE, fixtureBasePack } from './testing/fixture-repository.ts';

let workRoot: string;
let isolation: Isolation;

beforeAll(async () => {
  workRoot = await mkdtemp(join(tmpdir(), 'sallyport-git-'));
  isolation = await detectIsolation();
});
afterAll(() => rm(workRoot, { recursive: true, force: true }));

function importBytes(bundle: Uint8Array): Promise<ChildImportResult> {
  return importInChild({
    basePack: fixtureBasePack(),
    bundle,
    expected: { ref: BRANCH_REF, base: FIXTURE.start.oid },
    limits: DEFAULT_IMPORT_LIMITS,
    isolation,
    workRoot,
  });
}

describe('importing in a child', () => {
  it('imports a benign bundle and leaves only the base store behind', async () => {
    const twin = benignBundle();
    const t0 = performance.now();
    let result = await importBytes(twin.bytes);
    const t1 = performance.now();
    result = await importBytes(twin.bytes);
    process.stderr.write(`${isolation.kind} first ${t1 - t0} second ${performance.now() - t1}\n`);
    expect(result).toMatchObject({ ok: true, facts: { headOid: twin.head.oid } });
    if (result.ok) process.stderr.write(JSON.stringify(result.facts, null, 1));
    expect(await readdir(workRoot)).toEqual([expect.stringMatching(/^base-[0-9a-f]{64}$/)]);
  });
});
