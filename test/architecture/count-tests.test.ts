/** The closing line of a CI run, and the exit code that goes with it. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const SCRIPT = join(import.meta.dirname, '../../.ci/count-tests.mjs');
const GREEN = {
  numPassedTests: 3,
  numFailedTests: 0,
  numPendingTests: 0,
  numTodoTests: 0,
  success: true,
};

let dir = '';
beforeAll(() => {
  dir = mkdtempSync('/tmp/sp-test-count-');
});
afterAll(() => {
  rmSync(dir, { recursive: true, force: true });
});

function count(report: object | undefined, runnerExit: number) {
  const file = join(dir, report ? 'report.json' : 'none.json');
  if (report) writeFileSync(file, JSON.stringify(report));
  const { stdout, status } = spawnSync(process.execPath, [SCRIPT, file, String(runnerExit)], {
    encoding: 'utf8',
  });
  return { line: stdout, status };
}

describe('count-tests', () => {
  it('passes a run in which every test passed', () => {
    expect(count(GREEN, 0)).toEqual({ line: '3 passed, 0 failed\n', status: 0 });
  });

  it.each([
    ['a test failed', { ...GREEN, numFailedTests: 1, success: false }, 1, '3 passed, 1 failed'],
    ['a test was skipped', { ...GREEN, numPendingTests: 1 }, 0, '3 passed, 0 failed, 1 skipped'],
    [
      'a test is still to be written',
      { ...GREEN, numTodoTests: 1 },
      0,
      '3 passed, 0 failed, 1 skipped',
    ],
    ['no test ran', { ...GREEN, numPassedTests: 0 }, 0, '0 passed, 0 failed'],
    ['a file could not be loaded', { ...GREEN, success: false }, 1, '3 passed, 1 failed'],
    ['the runner failed for another reason', GREEN, 1, '3 passed, 1 failed'],
    ['the runner wrote no report', undefined, 1, '0 passed, 1 failed'],
  ])('fails a run in which %s', (_, report, runnerExit, line) => {
    expect(count(report, runnerExit)).toEqual({ line: `${line}\n`, status: 1 });
  });
});
