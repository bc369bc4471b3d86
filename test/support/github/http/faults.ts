/**
 * Faults as data: the next N exchanges that match are answered, delayed, or cut as told. A fault is what a test asks of
 * the network and of GitHub's bad days; everything else stays true to the state.
 */
export interface FaultMatch {
  /** HTTP method; omitted: any. */
  readonly method?: string;
  /** The path after `/api` for REST; the whole path for git. A string must equal it, a pattern must match it. */
  readonly path?: RegExp | string;
}

export interface Fault {
  /** `git-push` and `git-fetch` stand for the two POSTs of git's protocol, `git` for every git request. */
  readonly match: FaultMatch | 'git-push' | 'git-fetch' | 'git';
  /** How many matching exchanges it hits; default 1. */
  readonly times?: number;
  /** How many matching exchanges pass before the first that it hits; default 0. */
  readonly after?: number;
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** An object is sent as JSON, a string as it is. */
  readonly body?: unknown;
  readonly delayMs?: number;
  /** `before`: the connection ends and nothing happened. `after`: everything happened, and the reply is lost. */
  readonly cut?: 'before' | 'after';
  /** Lines that a push is refused with, as if by a rule of GitHub that the stand-in does not know. */
  readonly refusePush?: readonly string[];
}

export interface ExchangeKey {
  readonly method: string;
  readonly path: string;
  readonly git: 'push' | 'fetch' | 'info' | null;
}

function matches(fault: Fault, key: ExchangeKey): boolean {
  const { match } = fault;
  if (match === 'git-push') return key.git === 'push';
  if (match === 'git-fetch') return key.git === 'fetch';
  if (match === 'git') return key.git !== null;
  if (match.method !== undefined && match.method.toUpperCase() !== key.method) return false;
  if (match.path === undefined) return true;
  return typeof match.path === 'string' ? match.path === key.path : match.path.test(key.path);
}

interface Pending {
  readonly fault: Fault;
  skip: number;
  left: number;
}

export interface Faults {
  add(fault: Fault): void;
  /** The fault that hits this exchange, used up by one. */
  take(key: ExchangeKey): Fault | null;
  clear(): void;
  /** How many hits are still to come. */
  pending(): number;
}

export function createFaults(): Faults {
  let list: Pending[] = [];
  return {
    add: (fault) => {
      list.push({ fault, skip: fault.after ?? 0, left: fault.times ?? 1 });
    },
    take: (key) => {
      const pending = list.find((one) => matches(one.fault, key));
      if (!pending) return null;
      if (pending.skip > 0) {
        pending.skip -= 1;
        return null;
      }
      pending.left -= 1;
      list = list.filter((one) => one.left > 0);
      return pending.fault;
    },
    clear: () => {
      list = [];
    },
    pending: () => list.reduce((sum, one) => sum + one.left, 0),
  };
}
