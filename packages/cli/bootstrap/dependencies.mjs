/**
 * Installs the dependencies exactly as the lockfile has them, and only when they are not so already. What was installed
 * is recorded in node_modules itself, so that deleting or replacing that directory forgets it too.
 */
import { createHash } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { spawnSync } from 'node:child_process';
import { installerEnvironment } from './environment.mjs';
import { providePnpm } from './pnpm.mjs';
import { Refusal, say } from './say.mjs';

const STAMP = 'node_modules/.sallyport-stamp';

/** What node_modules must have been made from: the files that decide it, this Node's binary interface and machine. */
export function wantedStamp(root) {
  const hash = createHash('sha256');
  for (const file of ['pnpm-lock.yaml', 'pnpm-workspace.yaml'])
    hash.update(readFileSync(join(root, file)));
  return `${hash.digest('hex')} node-${process.versions.modules} ${process.platform}-${process.arch}\n`;
}

export function isInstalled(root) {
  try {
    return readFileSync(join(root, STAMP), 'utf8') === wantedStamp(root);
  } catch {
    return false;
  }
}

export function installDependencies(root) {
  const stamp = wantedStamp(root);
  const pnpm = providePnpm(root);
  say('installing the dependencies (pnpm install --frozen-lockfile)');
  // An install that is interrupted must not look finished.
  rmSync(join(root, STAMP), { force: true });
  const done = spawnSync(
    pnpm.command,
    [
      ...pnpm.args,
      'install',
      '--frozen-lockfile',
      '--prod=false',
      '--reporter=append-only',
      // The few packages whose scripts may run are listed in pnpm-workspace.yaml; without theirs they do not work.
      '--config.ignore-scripts=false',
    ],
    // Its progress is chatter: on our standard error, whichever stream it chooses.
    {
      cwd: root,
      env: { ...installerEnvironment(process.env), CI: 'true' },
      stdio: ['ignore', 2, 2],
    },
  );
  if (done.error) throw new Refusal(`pnpm did not start: ${done.error.message}`);
  if (done.status !== 0) {
    throw new Refusal(
      'installing the dependencies failed (see above); run the command again to retry',
    );
  }
  writeFileSync(join(root, STAMP), stamp);
}
