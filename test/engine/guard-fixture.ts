/** A guard on the run's engine with a tiny image, and a create that it passes, from which tests go one step away. */
import { afterAll, beforeAll, expect, inject } from 'vitest';
import { attach } from '../support/engine/attach.ts';
import { callEngine, type CallAnswer } from '../support/engine/call-engine.ts';
import { importBusybox } from '../support/engine/busybox-image.ts';
import { startTestGuard, type TestGuard } from '../support/engine/start-guard.ts';

const MIB = 1024 * 1024;
export const RUN = 'runs/r';
export const STEP = `${RUN}/steps/s`;

export interface GuardFixture {
  guard: TestGuard;
  image: string;
  /** Speaks to the engine itself. */
  engine(method: string, path: string, body?: Record<string, unknown>): Promise<CallAnswer>;
  /** A create that the guard passes. */
  body(change?: Record<string, unknown>): Record<string, unknown>;
  /** Makes a container; its id. */
  create(change?: Record<string, unknown>, name?: string): Promise<string>;
  start(id: string): Promise<void>;
  /** Runs a shell script in a container of its own to its end. */
  run(script: string, change?: Record<string, unknown>): Promise<{ output: string; code: number }>;
  remove(id: string): Promise<void>;
}

/** Starts a guard for the file and ends it after. What is returned is filled in before the first test. */
export function useGuard(env: Readonly<Record<string, string>> = {}): GuardFixture {
  const engineSocket = inject('engineSocket');
  let made = 0;

  async function create(change: Record<string, unknown> = {}, name?: string): Promise<string> {
    made += 1;
    const path = `/containers/create?name=${name ?? `c-${made}`}`;
    const answer = await fixture.guard.call('POST', path, fixture.body(change));
    expect(answer, answer.message).toMatchObject({ status: 201 });
    return (answer.json as { Id: string }).Id;
  }
  async function start(id: string): Promise<void> {
    const answer = await fixture.guard.call('POST', `/containers/${id}/start`);
    expect(answer, answer.message).toMatchObject({ status: 204 });
  }
  async function remove(id: string): Promise<void> {
    const answer = await fixture.guard.call('DELETE', `/containers/${id}?force=1&v=1`);
    expect(answer, answer.message).toMatchObject({ status: 204 });
  }

  const fixture: GuardFixture = {
    guard: undefined as unknown as TestGuard,
    image: '',
    engine: (method, path, body) => callEngine(engineSocket, method, path, body),
    body: (change = {}) => ({
      Image: fixture.image,
      Cmd: ['/bin/sleep', '60'],
      Env: ['PATH=/bin'],
      WorkingDir: '/tmp',
      Labels: { lease: 'tests', run: 'r' },
      Limits: {
        memoryBytes: 64 * MIB,
        processes: 32,
        fileBytes: MIB,
        openFiles: 64,
        tmpBytes: MIB,
      },
      Mounts: [],
      OpenStdin: false,
      ...change,
    }),
    create,
    start,
    remove,
    async run(script, change = {}) {
      const id = await create({ Cmd: ['/bin/sh', '-c', script], ...change });
      const { output } = await attach(fixture.guard.socket, id);
      const exit = fixture.guard.call('POST', `/containers/${id}/wait?condition=next-exit`);
      await start(id);
      const { StatusCode } = (await exit).json as { StatusCode: number };
      const said = await output;
      await remove(id);
      return { output: said, code: StatusCode };
    },
  };
  beforeAll(async () => {
    fixture.image = await importBusybox(engineSocket);
    fixture.guard = await startTestGuard({ engineSocket, image: fixture.image, env });
  });
  afterAll(() => fixture.guard.close());
  return fixture;
}
