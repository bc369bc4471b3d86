/** What a shell does with the command as a whole. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const MAIN = join(import.meta.dirname, 'main.ts');

/** Runs it with a reader that goes away at once, or stays. */
async function run(
  reads: 'nothing' | 'all',
  args: readonly string[],
): Promise<{ said: string; complained: string }> {
  const child = spawn(process.execPath, ['--import', 'tsx', MAIN, ...args]);
  let said = '';
  let complained = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (said += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (complained += text));
  if (reads === 'nothing') child.stdout.destroy();
  await once(child, 'close');
  return { said, complained };
}

it('ends without a word when nobody reads it any more', async () => {
  expect((await run('nothing', ['team', 'show', 'feature-squad'])).complained).toBe('');
  const twin = await run('all', ['team', 'show', 'feature-squad']);
  expect(twin.complained).toBe('');
  expect(twin.said).toContain('release-gate');
});
