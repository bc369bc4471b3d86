/**
 * No text that its reader cannot see. In code it refuses; in prose and translations, where some scripts need joiners, a
 * human decides. Only added text counts: what was there already is not this change's doing.
 */
import { isProse } from '../file-kinds.ts';
import type { Finding, FindingCode } from '../finding.ts';
import { findHidden, findMixedScript, hasControl } from '../hidden-characters.ts';
import type { NumberedLine } from '../line-diff.ts';
import type { FileChange, Rule } from '../rule.ts';

export const hiddenUnicode: Rule = {
  id: 'd07_hidden_unicode',
  check({ files }) {
    return files.flatMap((file) =>
      CHECKS.flatMap(({ code, hits, reason }) => {
        const first = file.diff.added.find(hits);
        return first === undefined ? [] : [found(file, code, first.line, reason)];
      }),
    );
  },
};

const CHECKS: readonly {
  code: FindingCode;
  hits: (line: NumberedLine) => boolean;
  reason: string;
}[] = [
  {
    code: 'hidden_unicode',
    hits: ({ text, line }) => findHidden(text, line === 1) >= 0,
    reason: 'An added line holds a character that is invisible or changes the direction of text.',
  },
  {
    code: 'control_character',
    hits: ({ text }) => hasControl(text),
    reason: 'An added line holds a control character, which a terminal obeys and does not show.',
  },
  {
    code: 'mixed_script',
    hits: ({ text }) => findMixedScript(text) >= 0,
    reason:
      'An added line holds a word that mixes Latin letters with letters of another script that look alike.',
  },
];

function found(file: FileChange, code: FindingCode, line: number, reason: string): Finding {
  const prose = isProse(file.path);
  return {
    rule: 'd07_hidden_unicode',
    code,
    severity: prose ? 'hold' : 'block',
    path: file.path,
    line,
    reason,
    satisfiedBy: prose
      ? 'Text without the character, or the approval of somebody who knows the script.'
      : 'The character written as an escape sequence, or left out.',
    overridableBy: prose ? 'approver' : 'nobody',
  };
}
