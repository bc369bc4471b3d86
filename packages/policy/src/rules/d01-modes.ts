/**
 * Plain files only. A gitlink names a commit nobody has read, a symbolic link makes a later reader follow a path of the
 * agent's choosing, and both can be put in place by a change that looks like text. Either side counts.
 */
import { ABSENT_MODE } from '../change.ts';
import type { Finding, FindingCode } from '../finding.ts';
import type { Rule } from '../rule.ts';

const PLAIN_MODES: ReadonlySet<string> = new Set([ABSENT_MODE, '100644', '100755']);

export const modes: Rule = {
  id: 'd01_modes',
  check({ files }) {
    return files.flatMap((file) => {
      const odd = [file.newMode, file.oldMode].find((mode) => !PLAIN_MODES.has(mode));
      return odd === undefined ? [] : [refuse(file.path, odd, odd === file.newMode)];
    });
  },
};

function refuse(path: string, mode: string, isNew: boolean): Finding {
  const { code, kind } = describe(mode);
  const side = isNew ? 'is' : 'was';
  return {
    rule: 'd01_modes',
    code,
    severity: 'block',
    path,
    line: null,
    reason: `The path ${side} ${kind} (mode ${mode}); only plain files with mode 100644 or 100755 may change.`,
    satisfiedBy: 'A plain file at this path on both sides, or no change to it.',
    overridableBy: 'nobody',
  };
}

function describe(mode: string): { code: FindingCode; kind: string } {
  if (mode === '160000') return { code: 'gitlink', kind: 'a submodule link' };
  if (mode === '120000') return { code: 'symlink', kind: 'a symbolic link' };
  return { code: 'unusual_mode', kind: 'something else than a plain file' };
}
