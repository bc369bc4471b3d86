/**
 * A change may not touch what steers pipelines, agents, git itself or the rights in the project, since that would reach
 * beyond the review of this change. When the task was asked to touch exactly that path, a human decides instead.
 */
import type { Finding } from '../finding.ts';
import { basename, foldPath, isNamedBy } from '../path-fold.ts';
import type { Rule } from '../rule.ts';
import { protectedKind } from './protected-patterns.ts';
import type { ProtectedKind } from './protected-patterns.ts';

export const protectedPaths: Rule = {
  id: 'd05_protected_paths',
  check({ files, scope }) {
    return files.flatMap((file) => {
      const folded = foldPath(file.path);
      const kind = protectedKind(folded) ?? protectedKind(basename(folded));
      return kind === null ? [] : [found(file.path, kind, isNamedBy(scope.paths, file.path))];
    });
  },
};

function found(path: string, kind: ProtectedKind, inScope: boolean): Finding {
  return {
    rule: 'd05_protected_paths',
    code: 'protected_path',
    severity: inScope ? 'hold' : 'block',
    path,
    line: null,
    reason: `The path is protected: it is ${kind.what}.`,
    satisfiedBy: inScope
      ? 'The approval of somebody who has read this part of the change.'
      : 'No change to this path, or a task whose scope names it.',
    overridableBy: inScope ? 'approver' : 'nobody',
  };
}
