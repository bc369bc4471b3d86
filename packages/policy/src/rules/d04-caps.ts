/**
 * Bounds on the size of a change. A reviewer who is shown too much reads none of it, and every later step works on input
 * whose size is known. The counts are our own, never those of a diff tool that obeys the change's attributes.
 */
import type { Finding, FindingCode } from '../finding.ts';
import type { Limits } from '../policy-config.ts';
import type { FileChange, Rule } from '../rule.ts';

export const caps: Rule = {
  id: 'd04_caps',
  check({ set, files, config }) {
    const { limits } = config;
    const lines = sum(files, (file) => file.diff.added.length + file.diff.removed.length);
    const bytes = sum(files, (file) => file.newSize);
    return [
      ...over('too_many_files', files.length, limits.files, 'changed files'),
      ...over('too_many_lines', lines, limits.lines, 'added and deleted lines'),
      ...over('too_many_bytes', bytes, limits.totalBytes, 'bytes of new content'),
      ...over('too_many_commits', set.commits.length, limits.commits, 'commits'),
      ...files.flatMap((file) => [...pathCaps(file.path, limits), ...contentCaps(file, limits)]),
    ];
  },
};

function sum(files: readonly FileChange[], of: (file: FileChange) => number): number {
  return files.reduce((total, file) => total + of(file), 0);
}

function over(
  code: FindingCode,
  value: number,
  limit: number,
  unit: string,
  at: { path: string; line?: number } | null = null,
): Finding[] {
  if (value <= limit) return [];
  return [
    {
      rule: 'd04_caps',
      code,
      severity: 'block',
      path: at?.path ?? null,
      line: at?.line ?? null,
      reason: `There are ${value} ${unit}; the policy allows ${limit}.`,
      satisfiedBy: `At most ${limit} ${unit}, or a higher limit set by the operator.`,
      overridableBy: 'nobody',
    },
  ];
}

function pathCaps(path: string, limits: Limits): Finding[] {
  const components = path.split('/');
  const longest = components.reduce((most, part) => Math.max(most, Buffer.byteLength(part)), 0);
  const at = { path };
  return [
    ...over('path_too_long', Buffer.byteLength(path), limits.pathBytes, 'bytes in the path', at),
    ...over('path_too_long', longest, limits.componentBytes, 'bytes in one path component', at),
    ...over('path_too_deep', components.length, limits.depth, 'levels in the path', at),
  ];
}

function contentCaps(file: FileChange, limits: Limits): Finding[] {
  const { path } = file;
  const tooLarge = over('file_too_large', file.newSize, limits.fileBytes, 'bytes in the file', {
    path,
  });
  const long = file.diff.added.find((added) => added.text.length > limits.lineChars);
  return [
    ...tooLarge,
    ...(long === undefined
      ? []
      : over('line_too_long', long.text.length, limits.lineChars, 'characters in one line', {
          path,
          line: long.line,
        })),
    ...(tooLarge.length === 0 ? unread(file) : []),
  ];
}

/** A side that the reader did not hand over, for its size or that of the whole, has lines nobody has counted. */
function unread(file: FileChange): Finding[] {
  if (file.newContent === 'over_cap') {
    return [
      {
        rule: 'd04_caps',
        code: 'content_not_read',
        severity: 'block',
        path: file.path,
        line: null,
        reason: 'The new content lies beyond the amount that is read, so no rule has seen it.',
        satisfiedBy: 'A smaller file, or fewer bytes in the change as a whole.',
        overridableBy: 'nobody',
      },
    ];
  }
  if (file.oldContent !== 'over_cap') return [];
  return [
    {
      rule: 'd04_caps',
      code: 'old_content_not_read',
      severity: 'hold',
      path: file.path,
      line: null,
      reason:
        'The old content lies beyond the amount that is read, so what was removed is not known.',
      satisfiedBy: 'The approval of somebody who has compared the file.',
      overridableBy: 'approver',
    },
  ];
}
