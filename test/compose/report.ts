/**
 * Counts what was checked. A check is a sentence and an act that throws when the sentence is not true; a failed one stops
 * nothing, so that one run tells everything that is wrong.
 */
export interface Report {
  check(sentence: string, act: () => Promise<void> | void): Promise<void>;
  /** The last line of the run. */
  summary(): string;
  /** Whether anything passed and nothing failed. */
  isGood(): boolean;
}

export function createReport(print: (line: string) => void): Report {
  const counts = { passed: 0, failed: 0 };
  return {
    async check(sentence, act) {
      const began = performance.now();
      try {
        await act();
        counts.passed += 1;
        print(`ok      ${sentence} (${Math.round(performance.now() - began)} ms)`);
      } catch (error) {
        counts.failed += 1;
        const text = error instanceof Error ? error.message : String(error);
        print(`FAILED  ${sentence}\n        ${text.replaceAll('\n', '\n        ')}`);
      }
    },
    summary: () => `${counts.passed} passed, ${counts.failed} failed`,
    isGood: () => counts.passed > 0 && counts.failed === 0,
  };
}
