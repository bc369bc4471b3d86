import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readExternalServers } from './external-servers.ts';

let dir = '';
beforeAll(() => {
  dir = mkdtempSync('/tmp/sp-test-external-');
});
afterAll(() => {
  rmSync(dir, { recursive: true, force: true });
});

function file(text: string): string {
  const path = join(dir, 'url');
  writeFileSync(path, text);
  return path;
}

describe('readExternalServers', () => {
  it('takes no server from an environment that names none', () => {
    expect(readExternalServers({})).toEqual({ databaseUrl: undefined, redisUrl: undefined });
  });

  it('reads a URL from the file that is named', () => {
    const url = 'postgres://admin:secret@db.internal/sallyport';
    expect(readExternalServers({ DATABASE_URL_FILE: file(`${url}\n`) }).databaseUrl).toBe(url);
  });

  it('refuses a URL by value, a file that is missing, and one that holds something else', () => {
    expect(() => readExternalServers({ DATABASE_URL: 'postgres://u:p@h/d' })).toThrow(
      /DATABASE_URL_FILE/,
    );
    expect(() => readExternalServers({ REDIS_URL_FILE: join(dir, 'none') })).toThrow(
      /cannot read .*none/,
    );
    expect(() => readExternalServers({ REDIS_URL_FILE: file('postgres://h/d') })).toThrow(/redis:/);
  });
});
