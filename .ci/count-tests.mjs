/**
 * The last word of a CI run: counts the tests in the test runner's own report and decides. The exit code of the runner
 * alone would not do: it is 0 when tests were skipped.
 * Called with the report's file and the runner's exit code.
 */
import { readFileSync } from 'node:fs';

const [file, status] = process.argv.slice(2);
const report = readReport(file);
const passed = report.numPassedTests;
const failed = report.numFailedTests;
const skipped = report.numPendingTests + report.numTodoTests;

// A file that could not even be loaded is a failed suite without a failed test, and then only `success` says so.
const broken = failed === 0 && (!report.success || status !== '0') ? 1 : 0;
process.stdout.write(
  `${passed} passed, ${failed + broken} failed${skipped > 0 ? `, ${skipped} skipped` : ''}\n`,
);
process.exitCode = passed > 0 && failed + broken + skipped === 0 ? 0 : 1;

function readReport(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    // The runner died before it wrote one.
    return {
      numPassedTests: 0,
      numFailedTests: 0,
      numPendingTests: 0,
      numTodoTests: 0,
      success: false,
    };
  }
}
