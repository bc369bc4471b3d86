/** The supervisor of one machine: what it starts it also ends, in order, at once, or by dying itself. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createSupervisor, type SupervisorEvent } from '@sallyport/cli/local/supervise';
import { createTemporaryDirectory, type TemporaryDirectory } from '@sallyport/cli/local/temporary';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  descendantsOf,
  isRunning,
  startProgram,
  survivors,
} from '../../support/local/processes.ts';

const PROGRAM = join(import.meta.dirname, '../../support/local/run-supervisor.ts');
const READY = `echo '{"msg":"ready","port":4711}'`;

let temporary: TemporaryDirectory;
beforeEach(() => {
  temporary = createTemporaryDirectory();
});
afterEach(() => {
  temporary.remove();
});

function shell(name: string, script: string, env: Record<string, string> = {}) {
  return {
    name,
    argv: ['/bin/sh', '-c', script] as const,
    env: { PATH: '/usr/bin:/bin', ...env },
    cwd: temporary.path,
    logFile: join(temporary.path, `${name}.log`),
    readyTimeoutMs: 5_000,
  };
}

function logOf(name: string): string {
  return readFileSync(join(temporary.path, `${name}.log`), 'utf8');
}

function supervise(restart: boolean) {
  const events: SupervisorEvent[] = [];
  const supervisor = createSupervisor({
    restart,
    stopDeadlineMs: 2_000,
    onEvent: (event) => void events.push(event),
  });
  return { supervisor, events, kinds: () => events.map(({ kind }) => kind) };
}

describe('start', () => {
  it('waits for each ready line and hands its fields over', async () => {
    const { supervisor } = supervise(false);
    const ready = await supervisor.start([shell('one', `sleep 0.2; ${READY}; sleep 60`)]);
    expect(ready['one']).toMatchObject({ port: 4711 });
    await supervisor.stop();
  });

  it('gives a process the environment that was named and nothing else', async () => {
    const { supervisor } = supervise(false);
    await supervisor.start([{ ...shell('one', `env; ${READY}; sleep 60`, { NAME: 'value' }) }]);
    await supervisor.stop();
    const names = logOf('one').match(/^\w+(?==)/gm);
    expect(names?.filter((name) => name !== 'PWD' && name !== '_').toSorted()).toEqual([
      'NAME',
      'PATH',
    ]);
  });

  it('refuses when a process ends before it is ready, naming it and its log', async () => {
    const { supervisor } = supervise(false);
    await expect(supervisor.start([shell('broken', 'echo no database; exit 2')])).rejects.toThrow(
      /broken ended before it was ready \(exit code 2\).*broken\.log/,
    );
    expect(logOf('broken')).toBe('no database\n');
    await supervisor.stop();
  });

  it('refuses when a program does not exist', async () => {
    const { supervisor } = supervise(false);
    await expect(
      supervisor.start([{ ...shell('absent', ''), argv: ['/nonexistent/program'] }]),
    ).rejects.toThrow(/absent ended before it was ready/);
    await supervisor.stop();
  });
});

describe('restart', () => {
  it('starts a crashed process again', async () => {
    const { supervisor, kinds } = supervise(true);
    await supervisor.start([
      shell('one', `${READY}; [ -e second ] || { touch second; exit 1; }; sleep 60`),
    ]);
    await vi.waitFor(
      () => expect(kinds()).toEqual(['started', 'ready', 'restarting', 'started', 'ready']),
      5_000,
    );
    await supervisor.stop();
  });

  it.each([
    ['bad configuration', 2],
    ['a newer schema', 3],
  ])('gives a process up that ended for %s', async (_, code) => {
    const { supervisor, kinds } = supervise(true);
    await supervisor.start([shell('one', `${READY}; exit ${code}`)]);
    await vi.waitFor(() => expect(kinds()).toContain('given_up'), 5_000);
    expect(kinds()).not.toContain('restarting');
    await supervisor.stop();
  });

  it('does not happen while stopping', async () => {
    const { supervisor, kinds } = supervise(true);
    await supervisor.start([
      shell('one', `trap 'exit 1' TERM; ${READY}; while :; do sleep 0.05; done`),
    ]);
    await supervisor.stop();
    expect(kinds()).toEqual(['started', 'ready']);
  });
});

describe('stop', () => {
  it('ends the stages in the opposite order', async () => {
    const { supervisor } = supervise(false);
    const script = (name: string) =>
      `trap 'echo ${name} >> order; exit 0' TERM; ${READY}; while :; do sleep 0.05; done`;
    await supervisor.start([shell('first', script('first'))]);
    await supervisor.start([shell('second', script('second'))]);
    await supervisor.stop();
    expect(readFileSync(join(temporary.path, 'order'), 'utf8')).toBe('second\nfirst\n');
  });

  it('kills what does not end in time, and all that it started', async () => {
    const supervisor = createSupervisor({ restart: false, stopDeadlineMs: 200 });
    await supervisor.start([
      shell('stubborn', `trap '' TERM; sleep 60 & ${READY}; while :; do wait; done`),
    ]);
    const pid = supervisor.pidOf('stubborn') ?? 0;
    const pids = [pid, ...descendantsOf(pid)];
    expect(pids).toHaveLength(2);
    await supervisor.stop();
    expect(pids.filter(isRunning)).toEqual([]);
  });
});

describe('a program that supervises', () => {
  it('ends its processes in order at the first Ctrl-C and at once at the second', async () => {
    const patient = await startProgram(PROGRAM, ['60000']);
    const pids = descendantsOf(patient.child.pid ?? 0);
    const [stubborn = 0, willing = 0] = patient.announced['pids'] as number[];
    patient.child.kill('SIGINT');
    expect(await survivors([willing], 5_000)).toEqual([]);
    expect(isRunning(stubborn)).toBe(true);
    patient.child.kill('SIGINT');
    expect(await patient.ended).toBe(130);
    expect(await survivors(pids, 2_000)).toEqual([]);
    expect(existsSync(String(patient.announced['directory']))).toBe(false);

    const quick = await startProgram(PROGRAM, ['300']);
    quick.child.kill('SIGTERM');
    expect(await quick.ended).toBe(0);
    expect(await survivors(quick.announced['pids'] as number[], 0)).toEqual([]);
  });

  it('takes its processes and what those started with it when it is killed', async () => {
    const program = await startProgram(PROGRAM, ['60000']);
    const direct = program.announced['pids'] as number[];
    const pids = [...direct, ...direct.flatMap(descendantsOf)];
    expect(pids).toHaveLength(4);
    program.child.kill('SIGKILL');
    await program.ended;
    expect(await survivors(pids, 2_000)).toEqual([]);
  });
});
