/**
 * The launcher's part of `sallyport doctor`, as a program so that it runs as the launcher would: under its user and with
 * what that user may do. Prints one JSON object; what fails is in it, and the exit code only says whether it could look.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { checkEngine } from './engine-checks.ts';
import { checkSandboxes } from './sandbox-checks.ts';

const { values } = parseArgs({
  options: {
    /** An existing directory that this user may write; a temporary one by default. */
    directory: { type: 'string' },
    bubblewrap: { type: 'string' },
    guard: { type: 'string' },
    image: { type: 'string' },
  },
});

const directory = mkdtempSync(join(values.directory ?? tmpdir(), 'doctor-'));
try {
  const binary = values.bubblewrap === undefined ? {} : { binary: values.bubblewrap };
  const checks = [
    ...(await checkSandboxes({ directory, ...binary })),
    ...(values.guard === undefined
      ? []
      : await checkEngine({ guardSocket: values.guard, image: values.image, stateDir: directory })),
  ];
  process.stdout.write(`${JSON.stringify({ checks })}\n`);
} finally {
  rmSync(directory, { recursive: true, force: true });
}
// The drivers' own helpers would keep an idle process alive for a moment.
process.exit(0);
