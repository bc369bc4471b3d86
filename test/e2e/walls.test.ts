/** The walls between the processes of a running deployment, each tried by a real process on the other side of it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { standInAccount } from '@sallyport/cli/local/process-account';
import type { PreparedProcess } from '@sallyport/cli/local/process-stage';
import { PROCESS_TABLE, secretFileName } from '@sallyport/cli/local/process-table';
import { createTemporaryDirectory } from '@sallyport/cli/local/temporary';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { SAMPLE_FIX } from '../support/line/sample-project.ts';
import { startLine, type Line } from '../support/line/start-line.ts';
import { lookAs, requireRoot } from '../support/local/look-as.ts';
import { coreLimits, environmentOfPid, listeningPorts, statusOf } from '../support/local/proc.ts';

let line: Line | undefined;
const state = createTemporaryDirectory();
beforeAll(async () => {
  requireRoot();
  line = await startLine({ state: state.path, env: process.env, script: SAMPLE_FIX });
});
afterAll(async () => {
  await line?.stop();
  state.remove();
});

function running(): Line {
  if (line === undefined) throw new Error('the line does not run');
  return line;
}

function pidOf({ name }: PreparedProcess): number {
  const pid = running().deployment.supervisor.pidOf(name);
  if (pid === undefined) throw new Error(`${name} does not run`);
  return pid;
}

function uidOf({ account, name }: PreparedProcess): number {
  if (account === undefined) throw new Error(`${name} has no user of its own`);
  return account.uid;
}

/** Everything that belongs to one process alone. */
function belongings(one: PreparedProcess): string[] {
  const { secretsDir, stateDir, temporaryDir } = one.places;
  const pid = pidOf(one);
  return [
    ...readdirSync(secretsDir).map((file) => join(secretsDir, file)),
    secretsDir,
    stateDir,
    temporaryDir,
    join(stateDir, 'probe+'),
    join(temporaryDir, 'probe+'),
    ...['environ', 'fd', 'maps', 'cwd/.', 'root/.'].map((entry) => `/proc/${pid}/${entry}`),
  ];
}

const NAMES = PROCESS_TABLE.map((entry) => entry.name);

it('gives every process a user, and no two the same', () => {
  const { processes } = running().deployment;
  expect(processes.map((one) => one.name)).toEqual(NAMES);
  const uids = processes.map(uidOf);
  expect(new Set(uids).size).toBe(NAMES.length);
  for (const one of processes) {
    const uid = String(uidOf(one));
    const status = statusOf(pidOf(one));
    expect(status['Uid']?.split('\t')).toEqual([uid, uid, uid, uid]);
    expect(status['Gid']?.split('\t')).toEqual([uid, uid, uid, uid]);
    expect(status['Groups']).toBe('');
  }
});

it.each(NAMES)('lets %s open what is its own, and nothing of any other', (name) => {
  const { processes } = running().deployment;
  const self = processes.find((one) => one.name === name);
  if (self === undefined) throw new Error(`no ${name}`);
  const own = belongings(self);
  const others = processes.filter((one) => one !== self);
  const foreign = others.flatMap((one) => [...belongings(one), `/proc/${pidOf(one)}/mem`]);
  const looked = lookAs(uidOf(self), [...own, ...foreign]);
  expect(own.filter((path) => looked[path] !== 'opened')).toEqual([]);
  expect(foreign.filter((path) => !/^E(?:ACCES|PERM)$/.test(looked[path] ?? ''))).toEqual([]);
  expect(foreign.length).toBeGreaterThan(others.length * 10);
});

it('shows the App key to the publisher alone', () => {
  const { processes } = running().deployment;
  const publisher = processes.find((one) => one.name === 'publisher');
  const key = join(publisher?.places.secretsDir ?? '', secretFileName('GITHUB_APP_KEY'));
  expect(readFileSync(key, 'utf8')).toContain('PRIVATE KEY');
  expect(processes.filter((one) => lookAs(uidOf(one), [key])[key] === 'opened')).toEqual([
    publisher,
  ]);
});

it("keeps the deployment's own secrets, logs and data from every process and from strangers", () => {
  const { deployment } = running();
  const { dir } = deployment;
  const servers = [
    // A server that somebody else gave keeps its data elsewhere.
    ...(process.env['DATABASE_URL_FILE'] === undefined ? ['postgres'] : []),
    ...(process.env['REDIS_URL_FILE'] === undefined ? ['redis'] : []),
  ];
  const paths = ['secrets', 'logs', 'processes', ...servers].map((d) => join(dir, d));
  for (const sub of ['secrets', 'logs']) {
    paths.push(...readdirSync(join(dir, sub)).map((file) => join(dir, sub, file)));
  }
  const stranger = standInAccount(deployment.id);
  for (const uid of [...deployment.processes.map(uidOf), stranger?.uid ?? 0]) {
    expect(Object.values(lookAs(uid, paths)).filter((look) => look === 'opened')).toEqual([]);
  }
  expect(Object.values(lookAs(0, paths)).every((look) => look === 'opened')).toBe(true);
});

it.each(NAMES)('gives %s exactly the environment that its list names', (name) => {
  const one = running().deployment.processes.find((process) => process.name === name);
  if (one === undefined) throw new Error(`no ${name}`);
  expect(environmentOfPid(pidOf(one))).toEqual(one.env);
  for (const secret of Object.keys(PROCESS_TABLE.find((e) => e.name === name)?.secrets ?? {})) {
    expect(one.env[secret]).toBeUndefined();
  }
});

it('leaves no process a capability, a way to gain one, or a core dump', () => {
  const none = '0'.repeat(16);
  for (const one of running().deployment.processes) {
    const status = statusOf(pidOf(one));
    expect([
      one.name,
      status['CapEff'],
      status['CapPrm'],
      status['CapInh'],
      status['CapAmb'],
    ]).toEqual([one.name, none, none, none, none]);
    expect([one.name, status['NoNewPrivs']]).toEqual([one.name, '1']);
    expect([one.name, ...coreLimits(pidOf(one))]).toEqual([one.name, '0', '0']);
  }
  expect(statusOf(process.pid)['CapEff']).not.toBe(none);
});

it('opens no inspector on SIGUSR1, which a plain Node.js does', async () => {
  const plain = spawn(process.execPath, ['--inspect-port=0', '-e', 'setInterval(() => {}, 1000)'], {
    stdio: 'ignore',
  });
  await once(plain, 'spawn');
  await sleep(500);
  plain.kill('SIGUSR1');
  const { processes, dir } = running().deployment;
  const before = processes.map((one) => [one.name, pidOf(one), listeningPorts(pidOf(one)).length]);
  for (const one of processes) process.kill(pidOf(one), 'SIGUSR1');
  await expect.poll(() => listeningPorts(plain.pid ?? 0), { timeout: 10_000 }).toHaveLength(1);
  plain.kill('SIGKILL');
  await sleep(500);
  expect(processes.map((one) => [one.name, pidOf(one), listeningPorts(pidOf(one)).length])).toEqual(
    before,
  );
  for (const one of processes) {
    expect(readFileSync(join(dir, 'logs', `${one.name}.log`), 'utf8')).not.toMatch(
      /inspector|debugger/i,
    );
  }
});
