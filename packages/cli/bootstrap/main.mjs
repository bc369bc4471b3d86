/**
 * Makes a fresh clone able to run the command that follows: the package manager, the dependencies, the programs that this
 * command needs. It depends on nothing but Node, says on standard error what it did, and writes nothing to standard
 * output, which belongs to the command.
 */
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { installDependencies, isInstalled } from './dependencies.mjs';
import { withLock } from './lock.mjs';
import { programsFor } from './needs.mjs';
import { providePrograms } from './programs.mjs';
import { Refusal, say } from './say.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..', '..');
const lockDir = join(root, '.local', 'bootstrap-lock');

try {
  if (!isInstalled(root)) {
    // Asked again inside: whoever held the lock before us has most likely done the work.
    await withLock(lockDir, () => {
      if (!isInstalled(root)) installDependencies(root);
    });
  }
  const programs = programsFor(process.argv.slice(2), process.env);
  if (programs.length > 0) await providePrograms(programs, lockDir);
} catch (error) {
  if (!(error instanceof Refusal)) throw error;
  say(error.message);
  process.exitCode = 2;
}
