/**
 * Provides programs of the machine: those on the PATH are taken as they are; missing ones are installed with apt-get
 * where that can be done without asking anybody, else one line says what to install.
 */
import { spawnSync } from 'node:child_process';
import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { withLock } from './lock.mjs';
import { Refusal, say } from './say.mjs';

/** Makes sure that every `{command, debian}` can be run. Throws a Refusal naming all that are missing. */
export async function providePrograms(programs, lockDir) {
  if (missing(programs).length === 0) return;
  await withLock(lockDir, () => {
    const absent = missing(programs);
    if (absent.length === 0) return;
    const apt = aptCommand();
    if (apt) install(apt, absent);
    const still = missing(programs);
    if (still.length > 0) throw new Refusal(advice(still));
  });
}

function missing(programs) {
  return programs.filter(({ command }) => !isOnPath(command));
}

function isOnPath(command) {
  return (process.env.PATH ?? '').split(delimiter).some((directory) => {
    if (directory === '') return false;
    const file = join(directory, command);
    try {
      accessSync(file, constants.X_OK);
      return statSync(file).isFile();
    } catch {
      return false;
    }
  });
}

function advice(programs) {
  const names = programs.map(({ command }) => command).join(', ');
  const packages = programs.map(({ debian }) => debian).join(' ');
  return `not installed: ${names}; install and run this again (Debian, Ubuntu: apt-get install ${packages})`;
}

/** How to run apt-get without a question, or undefined. */
function aptCommand() {
  if (!isOnPath('apt-get')) return undefined;
  if (process.getuid?.() === 0) return ['apt-get'];
  if (!isOnPath('sudo')) return undefined;
  const free = spawnSync('sudo', ['-n', 'true'], { stdio: 'ignore' });
  return free.status === 0
    ? ['sudo', '-n', 'DEBIAN_FRONTEND=noninteractive', 'apt-get']
    : undefined;
}

function install([command, ...first], programs) {
  const packages = programs.map(({ debian }) => debian);
  say(`installing ${packages.join(' ')} with apt-get`);
  const options = {
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    stdio: ['ignore', 2, 2],
  };
  // The lists of a new machine are empty or old. Their update may fail in part (one unreachable source) and the install
  // succeed all the same, so only the latter's outcome counts: the program is there, or it is not.
  spawnSync(command, [...first, '-q', 'update'], options);
  spawnSync(
    command,
    [...first, '-q', 'install', '-y', '--no-install-recommends', ...packages],
    options,
  );
}
