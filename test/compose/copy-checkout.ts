/** A copy of the checkout as somebody who clones it would have it: what git knows or would take, with nothing local in it. */
import { mkdirSync } from 'node:fs';
import { mustRun } from './run-program.ts';

/** Copies the working tree, changes that are not committed included, so that the lane tests what lies there. */
export async function copyCheckout(from: string, to: string): Promise<void> {
  mkdirSync(to, { mode: 0o755 });
  const listed = 'git ls-files --cached --others --exclude-standard -z';
  const there = 'while IFS= read -r -d "" file; do [ -e "$file" ] && printf "%s\\0" "$file"; done';
  const script = `set -o pipefail; ${listed} | { ${there}; true; } | tar --null -T - -c | tar -x -C "$1"`;
  await mustRun(['/bin/bash', '-c', script, 'copy', to], { cwd: from });
}
