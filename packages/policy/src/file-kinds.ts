/**
 * What a file is for, judged by its path: prose, translations, tests, or code. Some rules are milder to prose and some look
 * at tests alone; whatever is not known counts as code.
 */
import { basename, extension } from './path-fold.ts';

const PROSE_EXTENSIONS: ReadonlySet<string> = new Set([
  '.md',
  '.markdown',
  '.rst',
  '.txt',
  '.adoc',
]);
const TRANSLATION_EXTENSIONS: ReadonlySet<string> = new Set([
  '.po',
  '.pot',
  '.xlf',
  '.xliff',
  '.arb',
  '.strings',
]);
const TRANSLATION_FOLDER =
  /(?:^|\/)(?:i18n|l10n|locales?|translations?|lang)\/(?:[^/]+\/)*[^/]+\.(?:json|ya?ml|properties)$/i;
/** Text files that a tool executes or resolves. */
const TEXT_THAT_IS_CODE = /^(?:cmakelists|requirements.*|constraints.*|robots)\.txt$/i;

/** Whether a human reads the file as prose, in whatever script it is written. */
export function isProse(path: string): boolean {
  const kind = extension(path);
  if (TRANSLATION_EXTENSIONS.has(kind) || TRANSLATION_FOLDER.test(path)) return true;
  return PROSE_EXTENSIONS.has(kind) && !TEXT_THAT_IS_CODE.test(basename(path));
}

export type TestLanguage = 'javascript' | 'python';

const JAVASCRIPT = /\.(?:[cm]?[jt]s|[jt]sx)$/i;
const TEST_FOLDER = /(?:^|\/)(?:tests?|__tests__|specs?|e2e)\//i;
const JAVASCRIPT_TEST_NAME = /\.(?:test|spec|cy|e2e)\.[^./]+$/i;
const PYTHON_TEST_NAME = /^(?:test_.*|.*_test|tests|conftest)\.py$/i;

/** The language of a test file, or null for a file that is no test in a language known here. */
export function testLanguage(path: string): TestLanguage | null {
  const name = basename(path);
  if (JAVASCRIPT.test(name)) {
    return JAVASCRIPT_TEST_NAME.test(name) || TEST_FOLDER.test(path) ? 'javascript' : null;
  }
  if (extension(path) !== '.py') return null;
  return PYTHON_TEST_NAME.test(name) || TEST_FOLDER.test(path) ? 'python' : null;
}

/** Whether the file holds recorded expectations of a test runner. */
export function isSnapshot(path: string): boolean {
  return extension(path) === '.snap' || /(?:^|\/)__snapshots__\//.test(path);
}
