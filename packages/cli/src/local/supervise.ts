/**
 * Runs the processes of a deployment on one machine: starts them in stages, restarts those that crash, stops them in the
 * opposite order, and leaves none behind, whether it is asked to stop, asked twice, or killed.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import {
  startProcess,
  type Ended,
  type RunningProcess,
  type ServiceProcess,
} from './child-service.ts';
import { startGroupWatchdog, type GroupWatchdog } from './group-watchdog.ts';

const FIRST_BACKOFF_MS = 500;
const MAX_BACKOFF_MS = 30_000;
/** A process that ran this long was sound: its next crash is a first one. */
const SOUND_AFTER_MS = 60_000;
/** Bad configuration, and a schema newer than the code: the same start would end the same way. */
const FINAL_EXIT_CODES = new Set([0, 2, 3]);

/** What happens to a process. `given_up`: it ended and is not started again. */
export type SupervisorEvent =
  | { readonly kind: 'started' | 'ready'; readonly name: string; readonly pid: number | undefined }
  | {
      readonly kind: 'restarting';
      readonly name: string;
      readonly ended: Ended;
      readonly inMs: number;
    }
  | { readonly kind: 'given_up'; readonly name: string; readonly ended: Ended };

export interface SupervisorOptions {
  /** Start a crashed process again, after 0.5 s, then twice as long each time, at most `maxBackoffMs`. */
  readonly restart: boolean;
  /** How long a process may take to end after SIGTERM, before SIGKILL. */
  readonly stopDeadlineMs: number;
  /** The longest wait before a restart; default 30 s. */
  readonly maxBackoffMs?: number;
  readonly onEvent?: (event: SupervisorEvent) => void;
}

export interface Supervisor {
  /**
   * Starts the processes of one stage together and waits until all are ready.
   * @returns the fields of each one's ready line, by name.
   * @throws Error naming the process that ended first or was late; those started stay until `stop`.
   */
  start(
    stage: readonly ServiceProcess[],
  ): Promise<Readonly<Record<string, Readonly<Record<string, unknown>>>>>;
  /** Stops the last stage, then the one before, and so on. Safe to call again; all callers return when all is ended. */
  stop(): Promise<void>;
  /** Kills everything at once, without order. */
  kill(): void;
  /** The pid of a running process by its name. */
  pidOf(name: string): number | undefined;
}

/** Creates a supervisor that runs nothing yet. */
export function createSupervisor(options: SupervisorOptions): Supervisor {
  const stages: string[][] = [];
  const running = new Map<string, RunningProcess>();
  const keepers: Promise<void>[] = [];
  const stopping = new AbortController();
  let stopped: Promise<void> | undefined;
  let watchdog: GroupWatchdog | undefined;

  function launch(spec: ServiceProcess): RunningProcess {
    const child = startProcess(spec);
    running.set(spec.name, child);
    watch(child);
    options.onEvent?.({ kind: 'started', name: spec.name, pid: child.pid });
    child.ready.then(
      () => options.onEvent?.({ kind: 'ready', name: spec.name, pid: child.pid }),
      () => undefined,
    );
    return child;
  }

  function watch({ pid, ended }: RunningProcess): void {
    if (pid === undefined) return;
    watchdog ??= startGroupWatchdog();
    watchdog.keep(pid);
    void ended.then(() => watchdog?.drop(pid));
  }

  async function keep(spec: ServiceProcess, first: RunningProcess): Promise<void> {
    let child = first;
    let backoffMs = FIRST_BACKOFF_MS;
    for (;;) {
      const startedAt = Date.now();
      const ended = await child.ended;
      running.delete(spec.name);
      if (stopping.signal.aborted) return;
      if (!options.restart || FINAL_EXIT_CODES.has(ended.code ?? -1)) {
        options.onEvent?.({ kind: 'given_up', name: spec.name, ended });
        return;
      }
      if (Date.now() - startedAt >= SOUND_AFTER_MS) backoffMs = FIRST_BACKOFF_MS;
      options.onEvent?.({ kind: 'restarting', name: spec.name, ended, inMs: backoffMs });
      await sleep(backoffMs, undefined, { signal: stopping.signal }).catch(() => undefined);
      if (stopping.signal.aborted) return;
      backoffMs = Math.min(backoffMs * 2, options.maxBackoffMs ?? MAX_BACKOFF_MS);
      child = launch(spec);
    }
  }

  async function stopStages(): Promise<void> {
    for (const stage of stages.toReversed()) {
      await Promise.all(stage.map(async (name) => running.get(name)?.stop(options.stopDeadlineMs)));
    }
    await Promise.all(keepers);
    watchdog?.close();
  }

  return {
    async start(stage) {
      if (stopping.signal.aborted) throw new Error('the deployment is being stopped');
      stages.push(stage.map(({ name }) => name));
      const started = stage.map((spec) => {
        const child = launch(spec);
        keepers.push(keep(spec, child));
        return child.ready.then((fields) => [spec.name, fields] as const);
      });
      return Object.fromEntries(await Promise.all(started));
    },
    stop() {
      stopping.abort();
      stopped ??= stopStages();
      return stopped;
    },
    kill() {
      stopping.abort();
      for (const child of running.values()) child.kill();
    },
    pidOf: (name) => running.get(name)?.pid,
  };
}
