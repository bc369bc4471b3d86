/**
 * The signs by which tests are counted, per language. They are counted on removed and on added lines alike, so that what a
 * pattern misses or invents cancels out; comments do not count, or a commented-out assertion would stand for a real one.
 */
import type { TestLanguage } from '../file-kinds.ts';
import type { NumberedLine } from '../line-diff.ts';

export interface TestSigns {
  comment: RegExp;
  test: RegExp;
  assertion: RegExp;
  skip: RegExp;
  suppression: RegExp;
  /** A line that only names another module and so expects nothing. */
  imports: RegExp;
}

export const TEST_SIGNS: Record<TestLanguage, TestSigns> = {
  javascript: {
    comment: /^\s{0,200}(?:\/\/|\/?\*)/,
    imports: /^\s{0,200}(?:import|export)\b|\brequire\s{0,4}\(/,
    test: /(?<![\w.$])(?:x?it|f?it|x?test|specify)(?:\.\w{1,20}){0,3}\s{0,4}\(/g,
    assertion:
      /(?<![\w$])(?:expect(?:TypeOf|\.soft|\.poll)?|assert(?:\.\w{1,40}){0,3}|should(?:\.\w{1,40}){0,3}|t\.(?:is|deepEqual|equal|ok|throws|true|false))\s{0,4}\(/g,
    skip: /(?<![\w$])(?:(?:it|test|describe|suite|context|specify)(?:\.\w{1,20}){0,2}\.(?:skip|only|todo|fails|failing|skipIf|runIf)|x(?:it|describe|test|context)|f(?:it|describe|context))\s{0,4}[(`]|\.(?:skip|only)\s{0,4}\(\s{0,4}\)|\b(?:skip|only|todo):\s{0,4}true/g,
    suppression:
      /@ts-(?:ignore|nocheck|expect-error)|(?:eslint|oxlint|biome|tslint)-(?:disable|ignore)|(?:istanbul|c8|v8) ignore|process\.exit\s{0,4}\(\s{0,4}0?\s{0,4}\)/g,
  },
  python: {
    comment: /^\s{0,200}#/,
    imports: /^\s{0,200}(?:import|from)\b/,
    test: /(?<!\w)def\s{1,8}test\w{0,200}\s{0,4}\(/g,
    assertion:
      /(?<![\w.])assert\b|\bself\.assert\w{1,60}\s{0,4}\(|\bpytest\.(?:raises|warns|approx)\s{0,4}\(|\.assert_\w{1,60}\s{0,4}\(/g,
    skip: /pytest\.(?:mark\.)?(?:skip|skipif|xfail|importorskip)\b|\bunittest\.(?:skip\w{0,10}|expectedFailure)\b|@(?:skip|skipIf|skipUnless|expectedFailure)\b|\bself\.skipTest\s{0,4}\(|\bSkipTest\b/g,
    suppression:
      /#\s{0,4}(?:noqa|type:\s{0,4}ignore|pragma:\s{0,4}no cover|pylint:\s{0,4}disable|mypy:\s{0,4}ignore)|(?:sys\.|os\._)?exit\s{0,4}\(\s{0,4}0?\s{0,4}\)/g,
  },
};

export interface TestCount {
  tests: number;
  assertions: number;
  /** Lines with an assertion or a literal: what an expectation can stand in. */
  expectations: number;
  skips: number;
  suppressions: number;
  firstSkip: number | null;
  firstSuppression: number | null;
}

/** Counts the signs on the given lines; lines that are comments count for suppressions alone. */
export function countTest(signs: TestSigns, lines: readonly NumberedLine[]): TestCount {
  const total: TestCount = {
    tests: 0,
    assertions: 0,
    expectations: 0,
    skips: 0,
    suppressions: 0,
    firstSkip: null,
    firstSuppression: null,
  };
  for (const { text, line } of lines) {
    const suppressions = count(signs.suppression, text);
    if (suppressions > 0) total.firstSuppression ??= line;
    total.suppressions += suppressions;
    if (signs.comment.test(text)) continue;
    const skips = count(signs.skip, text);
    if (skips > 0) total.firstSkip ??= line;
    total.skips += skips;
    total.tests += count(signs.test, text);
    const assertions = count(signs.assertion, text);
    total.assertions += assertions;
    if (assertions > 0 || (LITERAL.test(text) && !signs.imports.test(text))) total.expectations++;
  }
  return total;
}

const LITERAL = /["'`]|\b\d|\b(?:true|false|null|undefined|True|False|None)\b/;

function count(pattern: RegExp, text: string): number {
  return text.match(pattern)?.length ?? 0;
}
