import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { diffLines, splitLines } from './line-diff.ts';
import { measureCpuMs } from './testing/measure-cpu.ts';

describe('comparing lines', () => {
  test.each([
    ['nothing changes', 'a\nb\n', 'a\nb\n', [], []],
    ['a line is added in the middle', 'a\nc\n', 'a\nb\nc\n', [2], []],
    ['a line is removed at the end', 'a\nb\n', 'a\n', [], [2]],
    ['a line is changed', 'a\nb\nc\n', 'a\nB\nc\n', [2], [2]],
    ['all is new', '', 'a\nb', [1, 2], []],
    ['only the last line end goes', 'a\nb\n', 'a\nb', [], []],
    ['two lines swap', 'a\nb\n', 'b\na\n', [2], [1]],
  ])('finds the changed lines when %s', (_what, before, after, added, removed) => {
    const diff = diffLines(before, after);
    expect(diff.added.map(({ line }) => line)).toEqual(added);
    expect(diff.removed.map(({ line }) => line)).toEqual(removed);
    expect(diff.exact).toBe(true);
  });

  test('what stays is the same sequence in both sides', () => {
    const lines = fc.array(fc.constantFrom('a', 'b', 'c', 'd', ''), { maxLength: 30 });
    fc.assert(
      fc.property(lines, lines, (before, after) => {
        const oldText = before.map((line) => `${line}\n`).join('');
        const newText = after.map((line) => `${line}\n`).join('');
        const { added, removed } = diffLines(oldText, newText);
        const without = (text: string, gone: { line: number }[]) =>
          splitLines(text).filter((_, at) => gone.every(({ line }) => line !== at + 1));
        expect(without(newText, added)).toEqual(without(oldText, removed));
      }),
    );
  });

  test('counts no more than the shortest edit for small texts', () => {
    const lines = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 12 });
    fc.assert(
      fc.property(lines, lines, (before, after) => {
        const { added, removed } = diffLines(before.map(end).join(''), after.map(end).join(''));
        const common = longestCommon(before, after);
        expect(added.length).toBe(after.length - common);
        expect(removed.length).toBe(before.length - common);
      }),
    );
  });

  test('a large honest edit is not counted as a rewrite', () => {
    const before = Array.from({ length: 6_000 }, (_, at) => `line ${at}\n`);
    const after = before.map((line, at) => (at % 2 === 0 ? line : `changed ${at}\n`));
    const { added, removed } = diffLines(before.join(''), after.join(''));
    expect(added.length).toBe(3_000);
    expect(removed.length).toBe(3_000);
  });

  test('a hundred and fifty thousand lines with a change in every third are counted exactly', () => {
    const before = Array.from({ length: 150_000 }, (_, at) => `${at}\n`);
    const after = before.map((line, at) => (at % 3 === 1 ? 'x\n' : line));
    const { added, removed, exact } = diffLines(before.join(''), after.join(''));
    expect([added.length, removed.length, exact]).toEqual([50_000, 50_000, true]);
  });

  test('two megabytes without a common order end within the bound and count as changed', async () => {
    const before = Array.from({ length: 250_000 }, (_, at) => (at * 7) % 5).join('\n');
    const after = Array.from({ length: 250_000 }, (_, at) => (at * at) % 5).join('\n');
    let diff = diffLines('', '');
    const spent = await measureCpuMs(() => {
      diff = diffLines(before, after);
    });
    expect(spent).toBeLessThan(3_000);
    const { added, removed, exact } = diff;
    expect(exact).toBe(false);
    expect(added.length).toBeGreaterThan(200_000);
    expect(removed.length).toBe(added.length);
  });
});

function end(line: string): string {
  return `${line}\n`;
}

function longestCommon(one: readonly string[], other: readonly string[]): number {
  const row = Array.from({ length: other.length + 1 }, () => 0);
  for (const left of one) {
    let diagonal = 0;
    for (const [at, right] of other.entries()) {
      const above = row[at + 1] ?? 0;
      row[at + 1] = left === right ? diagonal + 1 : Math.max(above, row[at] ?? 0);
      diagonal = above;
    }
  }
  return row.at(-1) ?? 0;
}
