import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { takeWorkDirectory } from './work-directory.ts';

const dir = mkdtempSync(join(tmpdir(), 'work-directory-test-'));
afterAll(() => rmSync(dir, { recursive: true }));

it('goes to one process at a time, and empty of what a killed one left unfinished', async () => {
  const work = join(dir, 'work');
  for (const name of ['quarantine-a1', 'building-b', 'base-0']) {
    mkdirSync(join(work, name), { recursive: true });
    writeFileSync(join(work, name, 'HEAD'), 'x');
  }
  writeFileSync(join(work, 'source-1.pack'), 'PACK');
  writeFileSync(join(work, 'import-child.mjs'), '');
  writeFileSync(join(work, '019df000-0000-4000-8000-000000000001.mjs'), '');
  const release = await takeWorkDirectory(work);
  const left = [
    'quarantine-a1',
    'building-b',
    'source-1.pack',
    '019df000-0000-4000-8000-000000000001.mjs',
  ];
  expect(left.filter((name) => existsSync(join(work, name)))).toEqual([]);
  expect(['base-0/HEAD', 'import-child.mjs'].every((name) => existsSync(join(work, name)))).toBe(
    true,
  );
  const asked = takeWorkDirectory(work);
  await expect(asked).rejects.toMatchObject({
    code: 'bad_config',
    message: expect.stringContaining('in use by another process') as unknown,
  });
  await release();
  const again = await takeWorkDirectory(work);
  await again();
}, 20_000);
