/**
 * File names that mean the same to every system and every reader. Git takes nearly any bytes as a name; a name that another
 * file system folds into a second one, or that a terminal or a shell reads as something else, is refused.
 */
import { hasNewSide } from '../change.ts';
import type { Finding } from '../finding.ts';
import type { FileChange, Rule } from '../rule.ts';
import { findCollision, foldIndex } from './name-collisions.ts';

export const names: Rule = {
  id: 'd06_names',
  check({ set, files, config }) {
    const kept = files.filter(hasNewSide);
    const added = kept.filter((file) => file.status === 'added' && isComparable(file.path));
    const gone = new Set(files.filter((file) => !hasNewSide(file)).map((file) => file.path));
    const stays = (set.basePaths ?? []).filter((path) => !gone.has(path) && isComparable(path));
    const here = kept.map((file) => file.path).filter(isComparable);
    const index = foldIndex(added.length === 0 ? [] : [...stays, ...here]);
    return [
      ...files.flatMap((file) => badName(file, config.allowUnicodeNames)),
      ...added.flatMap((file) => {
        const other = findCollision(index, file.path);
        return other === null ? [] : [collides(file.path)];
      }),
      ...(set.basePaths === null && added.length > 0 ? [baseUnknown()] : []),
    ];
  },
};

/** Longer names cannot be checked out on common systems; comparing all their prefixes would cost their square. */
const MAX_PATH_CHARS = 4_096;

function isComparable(path: string): boolean {
  return path.length <= MAX_PATH_CHARS;
}

function badName(file: FileChange, allowUnicode: boolean): Finding[] {
  const fault = nameFault(file, allowUnicode);
  if (fault === null) return [];
  return [
    {
      rule: 'd06_names',
      code: 'bad_name',
      severity: 'block',
      path: file.path,
      line: null,
      reason: `The name of the path ${fault}.`,
      satisfiedBy: 'A name of plain visible characters that every file system keeps as it is.',
      overridableBy: 'nobody',
    },
  ];
}

/** What is wrong with a name, as the end of a sentence, or null. A path that only goes away need merely be readable. */
function nameFault(file: FileChange, allowUnicode: boolean): string | null {
  const { path } = file;
  // The reader decodes with replacement, so this character stands for bytes that are not UTF-8.
  if (path.includes('\u{fffd}')) return 'is not valid UTF-8';
  if (!hasNewSide(file)) return null;
  if (!isComparable(path)) return `is longer than ${MAX_PATH_CHARS} characters`;
  const whole = WHOLE_NAME_FAULTS.find(({ pattern }) => pattern.test(path));
  if (whole !== undefined) return whole.fault;
  if (path.normalize('NFC') !== path) return 'is not in Unicode normal form C';
  if (file.status === 'added' && !allowUnicode && NOT_ASCII.test(path)) {
    return 'holds characters beyond ASCII, which new names may not';
  }
  for (const component of path.split('/')) {
    const fault = COMPONENT_FAULTS.find(({ is }) => is(component));
    if (fault !== undefined) return fault.fault;
  }
  return null;
}

const NOT_ASCII = /[^\u{0}-\u{7f}]/u;

const WHOLE_NAME_FAULTS: readonly { pattern: RegExp; fault: string }[] = [
  { pattern: /\p{Cc}/u, fault: 'holds a control character' },
  { pattern: /[\\:*?"<>|]/, fault: 'holds one of the characters \\ : * ? " < > |' },
  {
    pattern:
      /[\p{Cf}\u{34f}\u{115f}\u{1160}\u{17b4}\u{17b5}\u{180b}-\u{180f}\u{2028}\u{2029}\u{3164}\u{fe00}-\u{fe0f}\u{ffa0}\u{e0000}-\u{e0fff}]/u,
    fault: 'holds an invisible or direction-changing character',
  },
  { pattern: /\p{Cs}/u, fault: 'is not valid Unicode' },
];

const RESERVED_STEM = /^(?:con|nul|aux|prn|com[0-9]|lpt[0-9])(?:\.|$)/i;

const COMPONENT_FAULTS: readonly { is: (component: string) => boolean; fault: string }[] = [
  { is: (part) => part === '', fault: 'holds an empty component' },
  { is: (part) => part === '.' || part === '..', fault: 'holds the component . or ..' },
  { is: isGitFolder, fault: 'holds a component that some file system takes for .git' },
  {
    is: (part) => /^[- ]/.test(part),
    fault: 'holds a component that begins with a dash or a space',
  },
  { is: (part) => /[. ]$/.test(part), fault: 'holds a component that ends with a dot or a space' },
  {
    is: (part) => RESERVED_STEM.test(part),
    fault: 'holds a component that is reserved on Windows',
  },
];

/** `.git` as NTFS and HFS+ see it: any case, the short form `git~1`, compatibility characters. */
function isGitFolder(component: string): boolean {
  const folded = component
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[. ]{1,512}$/, '');
  return folded === '.git' || /^git~\d{1,6}$/.test(folded);
}

function collides(path: string): Finding {
  return {
    rule: 'd06_names',
    code: 'name_collision',
    severity: 'block',
    path,
    line: null,
    reason:
      'The new path, or a folder of it, differs from another only in case or spelling, so that on many file systems one replaces the other.',
    satisfiedBy: 'A path that differs in more than case and Unicode spelling.',
    overridableBy: 'nobody',
  };
}

function baseUnknown(): Finding {
  return {
    rule: 'd06_names',
    code: 'base_paths_unknown',
    severity: 'hold',
    path: null,
    line: null,
    reason:
      'The paths of the base were not read, so it is not known whether a new name collides with one of them.',
    satisfiedBy:
      'Reading the paths of the base, or the approval of somebody who has compared the names.',
    overridableBy: 'approver',
  };
}
