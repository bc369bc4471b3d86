/**
 * The check before every effect. Postgres is asked each time, so that a flip counts from its commit; a flip is also
 * watched, to end what runs and to report it as acted upon. A halt that cannot be read is a halt: `drain` at once,
 * `stop` after 30 seconds.
 */
import type { Listener } from '../db/listen.ts';
import type { Queryable } from '../db/pool.ts';
import { readHalt, type HaltLevel, type HaltState } from '../db/halt.ts';
import { AppError } from '../errors.ts';
import type { Logger } from '../log.ts';

const POLL_MS = 500;
const UNREADABLE_STOP_MS = 30_000;
const READ_DEADLINE_MS = 800;

export type HaltView =
  | { kind: 'clear' }
  | { kind: 'halted'; level: HaltLevel; scope: string; reason: string };

export interface HaltGuard {
  /** Throws AppError `halted` unless a fresh read says that nothing halts this repository. Call it before each effect. */
  assertClear(repositoryId: number): Promise<void>;
  /** The last known view for a repository, without asking again. */
  view(repositoryId: number): HaltView;
  /** Calls back after every change of the state (and when it becomes unreadable). */
  onChange(handle: () => void): void;
  /** The version that this process has acted upon. */
  seenVersion(): number;
  stop(): void;
}

export function createHaltGuard(options: {
  db: Queryable;
  listener: Listener;
  log: Logger;
}): HaltGuard {
  const { db, log } = options;
  const handlers = new Set<() => void>();
  let state: HaltState | undefined;
  let unreadableSince: number | undefined = Date.now();
  let stopped = false;
  let reading: Promise<void> | undefined;

  async function read(): Promise<void> {
    const before = fingerprint();
    try {
      const fresh = await withDeadline(readHalt(db));
      // Two reads may overtake one another; what was seen later in the database counts.
      if (state === undefined || fresh.version >= state.version) state = fresh;
      unreadableSince = undefined;
    } catch (error) {
      if (unreadableSince === undefined)
        log.error({ err: error }, 'the halt cannot be read: halted');
      unreadableSince ??= Date.now();
    }
    if (fingerprint() !== before) for (const handle of handlers) handle();
  }

  function fingerprint(): string {
    if (unreadableSince !== undefined) return `unreadable:${unreadableLevel()}`;
    return String(state?.version);
  }

  function unreadableLevel(): HaltLevel {
    return Date.now() - (unreadableSince ?? 0) >= UNREADABLE_STOP_MS ? 'stop' : 'drain';
  }

  function view(repositoryId: number): HaltView {
    if (unreadableSince !== undefined || state === undefined) {
      return {
        kind: 'halted',
        level: unreadableLevel(),
        scope: 'all',
        reason: 'the halt cannot be read',
      };
    }
    return viewOf(state, repositoryId);
  }

  const timer = setInterval(() => {
    reading ??= read().finally(() => {
      reading = undefined;
    });
  }, POLL_MS);
  options.listener.on('halt', () => {
    if (!stopped) void read();
  });

  return {
    view,
    async assertClear(repositoryId) {
      await read();
      const now = view(repositoryId);
      if (now.kind === 'halted') {
        throw new AppError('halted', `halted (${now.level}): ${now.reason}`, {
          detail: { scope: now.scope, level: now.level },
        });
      }
    },
    onChange(handle) {
      handlers.add(handle);
    },
    seenVersion: () => state?.version ?? 0,
    stop() {
      stopped = true;
      clearInterval(timer);
    },
  };
}

/** What a known state says about one repository: the strictest of the halts that cover it. */
export function viewOf(state: HaltState, repositoryId: number): HaltView {
  const covering = state.halts.filter(
    (halt) => halt.scope === 'all' || halt.scope === `repo:${repositoryId}`,
  );
  const worst = covering.find((halt) => halt.level === 'stop') ?? covering[0];
  if (worst === undefined) return { kind: 'clear' };
  return { kind: 'halted', level: worst.level, scope: worst.scope, reason: worst.reason };
}

async function withDeadline<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new AppError('unavailable', 'reading the halt took too long')),
      READ_DEADLINE_MS,
    );
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
    work.catch(() => {});
  }
}
