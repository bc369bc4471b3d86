/** Where the processes of other OS users cannot go: what is done about it, and what is refused with its mend. */
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { viewCode } from '@sallyport/cli/local/code-view';
import { chooseDataPlace } from '@sallyport/cli/local/data-dir';
import { accountOf } from '@sallyport/cli/local/process-account';
import { sandboxNeedsPrivileges } from '@sallyport/cli/local/sandbox-program';
import { startDeployment } from '@sallyport/cli/local/start-deployment';
import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { requireRoot } from '../../support/local/look-as.ts';

const ROOT = join(import.meta.dirname, '../../..');
const LOOKED_AT = ['package.json', 'services/intake/src/main.ts', 'packages/shared/src/service.ts'];
const LOADER = relative(ROOT, fileURLToPath(import.meta.resolve('tsx', import.meta.url)));

let place: string;
beforeAll(requireRoot);
beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), 'sp-places-'));
  chmodSync(place, 0o711);
});
afterEach(() => rmSync(place, { recursive: true }));

function open(name: string): string {
  const path = join(place, name);
  mkdirSync(path, { recursive: true });
  chmodSync(path, 0o711);
  return path;
}

/** The few files of a checkout that are looked at, below a directory of this mode. */
function checkoutBelow(mode: number): string {
  const closed = open('closed');
  const checkout = join(closed, 'checkout');
  for (const file of [...LOOKED_AT, LOADER]) {
    mkdirSync(dirname(join(checkout, file)), { recursive: true, mode: 0o755 });
    copyFileSync(join(ROOT, file), join(checkout, file));
    chmodSync(join(checkout, file), 0o644);
  }
  chmodSync(closed, mode);
  return checkout;
}

const account = accountOf('places', 'gate');

it('uses a checkout where it is when everybody can enter it', () => {
  const checkout = checkoutBelow(0o755);
  expect(viewCode(account, open('t'), checkout)).toEqual({ root: checkout, bind: undefined });
});

it('shows a closed checkout at another place, and leaves it as it is', () => {
  const checkout = checkoutBelow(0o700);
  const view = viewCode(account, open('t'), checkout);
  expect(view).toEqual({
    root: join(place, 't/checkout'),
    bind: { source: checkout, target: join(place, 't/checkout') },
  });
  expect(readdirSync(view.root)).toEqual([]);
  expect(viewCode(undefined, open('t'), checkout)).toEqual({ root: checkout, bind: undefined });
});

it('refuses a checkout whose files are closed themselves, with the mend', () => {
  const checkout = checkoutBelow(0o700);
  chmodSync(join(checkout, 'package.json'), 0o600);
  expect(() => viewCode(account, open('t'), checkout)).toThrow(`chmod -R go+rX ${checkout}`);
});

it('keeps data below the state directory as long as its users can enter it', () => {
  const deploymentDir = open('state');
  const temporaryDir = open('t');
  for (const throwAway of [true, false]) {
    const data = chooseDataPlace({ deploymentDir, temporaryDir, account, throwAway });
    expect(data.dir).toBe(deploymentDir);
  }
  chmodSync(deploymentDir, 0o700);
  const options = { deploymentDir, temporaryDir, account };
  expect(chooseDataPlace({ ...options, throwAway: true }).dir).toBe(join(temporaryDir, 'data'));
  expect(() => chooseDataPlace({ ...options, throwAway: false })).toThrow('SALLYPORT_STATE_DIR');
});

it('knows a sandbox program that works by its set-user-id bit', () => {
  const program = join(place, 'bwrap');
  writeFileSync(program, '');
  expect(sandboxNeedsPrivileges(program)).toBe(false);
  chmodSync(program, 0o4755);
  expect(sandboxNeedsPrivileges(program)).toBe(true);
  expect(sandboxNeedsPrivileges(join(place, 'none'))).toBe(false);
});

it('leaves no Postgres behind when Redis cannot start beside it', async () => {
  const dir = open('deployments/half');
  chmodSync(join(place, 'deployments'), 0o711);
  writeFileSync(join(dir, 'redis'), 'in the way');
  const start = startDeployment({
    state: place,
    mode: 'up',
    settings: {
      id: 'half',
      logLevel: 'info',
      github: { apiUrl: 'http://127.0.0.1:1', url: 'http://127.0.0.1:1', appId: 1, appSlug: 's' },
      intake: { host: '127.0.0.1', port: 0 },
      console: { host: '127.0.0.1', port: 0 },
      launcher: { maxRuns: 1, leaseSeconds: 30 },
      agentsFile: '/nonexistent',
      importIsolation: 'none',
    },
    githubAppKey: '',
    env: {},
    throwAway: false,
    note: () => {},
  });
  await expect(start).rejects.toThrow(/EEXIST/);
  // It was on its way when Redis failed, so there is something to have been left.
  expect(readFileSync(join(dir, 'postgres/PG_VERSION'), 'utf8')).toMatch(/^\d+/);
  const left = readdirSync('/proc').filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(dir);
    } catch {
      return false;
    }
  });
  expect(left).toEqual([]);
});
