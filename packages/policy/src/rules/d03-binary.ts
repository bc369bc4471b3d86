/**
 * What cannot be read cannot be judged. A binary may be added only where an operator has allowed its kind and size;
 * one that goes away is shown to a human, because nobody can see in the diff what was lost.
 */
import type { Finding } from '../finding.ts';
import { extension } from '../path-fold.ts';
import type { PolicyConfig } from '../policy-config.ts';
import type { FileChange, Rule } from '../rule.ts';

export const binary: Rule = {
  id: 'd03_binary',
  check({ files, config }) {
    return files.flatMap((file): Finding[] => {
      if (file.newContent === 'binary') {
        return isAllowed(file.path, file.newSize, config) ? [] : [added(file)];
      }
      if (file.oldContent === 'binary') {
        return isAllowed(file.path, file.oldSize, config) ? [] : [removed(file)];
      }
      return [];
    });
  },
};

function isAllowed(path: string, size: number, config: PolicyConfig): boolean {
  return config.allowBinary.some(
    (allowance) => allowance.extension === extension(path) && size <= allowance.maxBytes,
  );
}

function added(file: FileChange): Finding {
  return {
    rule: 'd03_binary',
    code: 'binary_content',
    severity: 'block',
    path: file.path,
    line: null,
    reason: `The new content is not text (${file.newSize} bytes), so no rule can read it.`,
    satisfiedBy:
      'Text in UTF-8, or an entry in allowBinary with this extension and a sufficient size.',
    overridableBy: 'nobody',
  };
}

function removed(file: FileChange): Finding {
  return {
    rule: 'd03_binary',
    code: 'binary_removed',
    severity: 'hold',
    path: file.path,
    line: null,
    reason:
      'The change removes or replaces a file that is not text, and the diff cannot show what it held.',
    satisfiedBy: 'Leaving the file as it is, or the approval of somebody who knows it.',
    overridableBy: 'approver',
  };
}
