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

it('refuses what a benchmark does not take, and half of an engine', async () => {
  const files = await run('bench', 'sandbox', '--files', '7');
  expect([files.code, files.err]).toEqual([2, expect.stringContaining('--files')]);
  const half = await run('bench', 'sandbox', '--engine', '/run/engine.sock');
  expect([half.code, half.err]).toEqual([2, expect.stringContaining('--engine and --image')]);
});

it('measures an empty sandbox beside a bare one, with every sample and the cost of a collector', async () => {
  const { code, out } = await run('bench', 'sandbox', '--samples', '2', '--json');
  expect(code).toBe(0);
  const samplesMs = [expect.any(Number), expect.any(Number)];
  expect(JSON.parse(out.trim().split('\n').at(-1) ?? '')).toMatchObject({
    bench: 'sandbox',
    ratios: { bwrap: expect.any(Number) },
    ours: { bubblewrap: { samplesMs }, collector_per_step: { samplesMs } },
    peers: { bwrap: { samplesMs } },
  });
}, 120_000);

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
}, 120_000);
