import { expect, it } from 'vitest';
import { COMMANDS } from '../command-table.ts';
import { runCli } from '../run-cli.ts';

async function run(...argv: string[]): Promise<{ code: number; err: string; out: string }> {
  const said = { out: '', err: '' };
  const code = await runCli(argv, COMMANDS, {
    out: (text) => {
      said.out += text;
    },
    err: (text) => {
      said.err += text;
    },
  });
  return { code, ...said };
}

it('refuses a benchmark that it does not have, and a number that is none', async () => {
  const unknown = await run('bench', 'spets');
  expect([unknown.code, unknown.err]).toEqual([2, expect.stringContaining('there is: steps')]);
  const count = await run('bench', 'steps', '--samples', '0');
  expect([count.code, count.err]).toEqual([2, expect.stringContaining('--samples 0')]);
});

it('runs a benchmark and ends with its figures, every sample and the ratio to what it stands beside', async () => {
  const { code, out } = await run('bench', 'steps', '--samples', '1', '--files', '200', '--json');
  expect(code).toBe(0);
  const result = JSON.parse(out.trim().split('\n').at(-1) ?? '') as Record<string, unknown>;
  expect(result).toMatchObject({
    bench: 'steps',
    ratios: { git_worktree_add: expect.any(Number) },
    ours: { reading_step: { samplesMs: [expect.any(Number)] } },
    peers: { git_worktree_add: { samplesMs: [expect.any(Number)] } },
  });
}, 60_000);
