import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DEFAULT_POLICY } from '@sallyport/policy/policy-config';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readPolicy } from './read-policy.ts';

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'sallyport-policy-'));
});
afterAll(() => rmSync(directory, { recursive: true }));

function written(content: string): string {
  const file = join(directory, 'policy.json');
  writeFileSync(file, content);
  return file;
}

describe('reading the policy', () => {
  it('is the built-in one without a file, and the file with every default filled in', () => {
    expect(readPolicy(undefined)).toEqual(DEFAULT_POLICY);
    expect(readPolicy(written('{"limits":{"files":7}}'))).toMatchObject({
      limits: { files: 7, commits: DEFAULT_POLICY.limits.commits },
    });
  });

  it.each([
    ['a word that is no setting', '{"limit":{}}', /limit/],
    ['no JSON', 'files: 7', /is no JSON/],
  ])('refuses %s and names the file', (_, content, problem) => {
    const file = written(content);
    expect(() => readPolicy(file)).toThrow(problem);
    expect(() => readPolicy(file)).toThrow(file);
  });

  it('names a file that cannot be read', () => {
    expect(() => readPolicy('/nowhere/policy.json')).toThrow(
      /POLICY_FILE: cannot read \/nowhere\/policy.json/,
    );
  });
});
