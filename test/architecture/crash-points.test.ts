/** Each moment of the list stands in the code once, and in no place that the list does not know. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CRASH_POINTS } from '@sallyport/shared/crash-points';
import { expect, it } from 'vitest';
import { CRASH_MOMENTS } from '../support/line/crash-moments.ts';

const ROOT = join(import.meta.dirname, '../..');
const CALL = /\bcrashPoint\(\s*([^),]*?),?\s*\)/g;

function callsIn(source: string): string[] {
  return [...source.matchAll(CALL)].map((match) => match[1] ?? '');
}

function sourceFiles(): string[] {
  return ['packages', 'services'].flatMap((group) =>
    readdirSync(join(ROOT, group)).flatMap((name) =>
      readdirSync(join(ROOT, group, name, 'src'), { recursive: true, encoding: 'utf8' })
        .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'))
        .map((path) => join(ROOT, group, name, 'src', path)),
    ),
  );
}

it('every crash point of the list stands in the code exactly once, as a literal', () => {
  const calls = sourceFiles()
    .filter((path) => !path.endsWith('/crash-point.ts'))
    .flatMap((path) => callsIn(readFileSync(path, 'utf8')));
  expect(calls.toSorted()).toEqual(CRASH_POINTS.map((point) => `'${point}'`).toSorted());
});

it('finds a call that is spread over lines, and one that is no literal', () => {
  expect(callsIn("crashPoint(\n  'a:b',\n)")).toEqual(["'a:b'"]);
  expect(callsIn('crashPoint(name)')).toEqual(['name']);
});

it('the crash test has a row for each, and a dying process that fits its name', () => {
  expect(Object.keys(CRASH_MOMENTS).toSorted()).toEqual([...CRASH_POINTS].toSorted());
  const misnamed = Object.entries(CRASH_MOMENTS).filter(([point, { dies }]) => {
    const [prefix] = point.split(':');
    return prefix !== 'forwarder' && prefix !== dies.replace('worker-', '');
  });
  expect(misnamed).toEqual([]);
});
