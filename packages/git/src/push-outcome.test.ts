import { describe, expect, it } from 'vitest';
import { classifyRefusal, readPushOutcome } from './push-outcome.ts';
import type { SpawnResult } from './spawn-limited.ts';

const REF = 'refs/heads/agent/x';
const SHA = 'a'.repeat(40);

function ended(stdout: string, more: Partial<SpawnResult> = {}): SpawnResult {
  return {
    end: 'exited',
    exitCode: 0,
    signal: null,
    stdout: Buffer.from(stdout),
    stderr: '',
    ...more,
  };
}
function line(flag: string, summary: string, ref = REF): string {
  return `To https://github.com/o/r\n${flag}\t${SHA}:${ref}\t${summary}\nDone\n`;
}

describe('the outcome of a push', () => {
  it.each([
    ['*', '[new branch]', { outcome: 'pushed', already: false }],
    [' ', 'aaaaaaa..bbbbbbb', { outcome: 'pushed', already: false }],
    ['=', '[up to date]', { outcome: 'pushed', already: true }],
  ])('is pushed for flag %j', (flag, summary, outcome) => {
    expect(readPushOutcome(ended(line(flag, summary)), REF)).toEqual(outcome);
    // The same words are no answer when git failed after them, or when they are about another ref.
    const failed = readPushOutcome(ended(line(flag, summary), { exitCode: 1 }), REF);
    expect(failed.outcome).toBe('unknown');
    expect(readPushOutcome(ended(line(flag, summary, `${REF}y`)), REF).outcome).toBe('unknown');
  });

  it.each([
    ['[rejected] (stale info)', 'exists'],
    ['[rejected] (fetch first)', 'exists'],
    ['[remote rejected] (pre-receive hook declined)', 'refused'],
    ['[remote failure] (remote failed to report status)', 'unknown'],
  ])('is for %s: %s', (summary, outcome) => {
    expect(readPushOutcome(ended(line('!', summary), { exitCode: 1 }), REF).outcome).toBe(outcome);
  });

  it.each([
    ['fatal: Authentication failed for https://github.com/o/r/', 'authentication'],
    ['fatal: unable to access x: The requested URL returned error: 403', 'forbidden'],
    ['fatal: unable to access x: The requested URL returned error: 404', 'not_found'],
  ])('is refused before any pack for: %s', (stderr, code) => {
    const outcome = readPushOutcome(ended('', { exitCode: 128, stderr }), REF);
    expect(outcome).toMatchObject({ outcome: 'refused', code });
  });

  it('is unknown for everything else', () => {
    for (const stderr of [
      'error: 502',
      'Connection reset by peer',
      '',
      'The requested URL returned error: 500',
    ]) {
      expect(readPushOutcome(ended('', { exitCode: 128, stderr }), REF).outcome).toBe('unknown');
    }
    expect(readPushOutcome(ended('', { end: 'timed_out', exitCode: null }), REF).outcome).toBe(
      'unknown',
    );
  });

  it('names what the remote protects', () => {
    const workflow =
      'refusing to allow a GitHub App to create or update workflow x without workflows permission';
    expect(classifyRefusal(workflow)).toBe('workflow_permission');
    expect(classifyRefusal('GH013: Repository rule violations found')).toBe('protected');
    expect(classifyRefusal('the file workflow.txt is large')).toBe('other');
  });
});
