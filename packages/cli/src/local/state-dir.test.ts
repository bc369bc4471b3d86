import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { claimDeployment, prepareDeployment, runningDeployments, stateDir } from './state-dir.ts';

let state = '';
beforeEach(() => {
  state = mkdtempSync('/tmp/sp-test-state-');
});
afterEach(() => {
  rmSync(state, { recursive: true, force: true });
});

/** Plants the registration of a process of this pid, as another one that runs the deployment would have. */
function plantRegistration(
  dir: string,
  ownFile: string,
  owner: { pid: number; startTime?: string },
): string {
  const registration = JSON.parse(readFileSync(ownFile, 'utf8'));
  const file = join(dir, `running-${owner.pid}.json`);
  writeFileSync(
    file,
    JSON.stringify({ ...registration, owner: { ...registration.owner, ...owner } }),
  );
  return file;
}

describe('prepareDeployment', () => {
  it('keeps secrets and logs from everybody else', () => {
    const paths = prepareDeployment(state, 'main');
    expect(statSync(paths.dir).mode & 0o777).toBe(0o711);
    expect(statSync(paths.secrets).mode & 0o777).toBe(0o700);
    expect(statSync(paths.logs).mode & 0o777).toBe(0o700);
  });

  it.each(['Main', '../up', 'a', 'a-b', ''])('refuses %j as an id', (id) => {
    expect(() => prepareDeployment(state, id)).toThrow(/no deployment id/);
  });
});

describe('claimDeployment', () => {
  it('makes the deployment known while it runs, and no longer', () => {
    const paths = prepareDeployment(state, 'main');
    const claim = claimDeployment(paths, { mode: 'up' });
    expect(runningDeployments(state)).toMatchObject([
      { id: 'main', mode: 'up', owner: { pid: process.pid } },
    ]);
    claim.update({ mode: 'up', consoleSocket: '/tmp/console.sock' });
    expect(runningDeployments(state)).toMatchObject([{ consoleSocket: '/tmp/console.sock' }]);
    claim.release();
    expect(runningDeployments(state)).toEqual([]);
  });

  it('refuses a deployment that a living process runs, and takes one over from a dead process', () => {
    const paths = prepareDeployment(state, 'main');
    const own = join(paths.dir, `running-${process.pid}.json`);
    const claim = claimDeployment(paths, { mode: 'up' });
    const parentStart = readFileSync(`/proc/${process.ppid}/stat`, 'utf8')
      .split(') ')[1]
      ?.split(' ')[19];
    const other = plantRegistration(paths.dir, own, {
      pid: process.ppid,
      startTime: parentStart ?? '',
    });
    claim.release();

    expect(() => claimDeployment(paths, { mode: 'up' })).toThrow(
      expect.objectContaining({
        code: 'conflict',
        message: expect.stringContaining(String(process.ppid)),
      }),
    );
    const living = readFileSync(other, 'utf8');
    writeFileSync(other, living.replace(`"startTime":"${parentStart}"`, '"startTime":"1"'));
    claimDeployment(paths, { mode: 'up' }).release();
    expect(runningDeployments(state)).toEqual([]);
  });

  it('lets two deployments run beside each other', () => {
    const one = claimDeployment(prepareDeployment(state, 'one'), { mode: 'up' });
    const two = claimDeployment(prepareDeployment(state, 'two'), { mode: 'demo' });
    expect(
      runningDeployments(state)
        .map(({ id }) => id)
        .toSorted(),
    ).toEqual(['one', 'two']);
    one.release();
    two.release();
  });
});

describe('stateDir', () => {
  it('is what SALLYPORT_STATE_DIR says, else .local of the checkout', () => {
    expect(stateDir({ SALLYPORT_STATE_DIR: '/var/lib/sallyport' })).toBe('/var/lib/sallyport');
    expect(stateDir({})).toBe(join(import.meta.dirname, '../../../../.local'));
  });
});
