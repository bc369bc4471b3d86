/** One after the other where two acts touch the same thing, by name; all others at once. */

export interface Locks {
  /** Runs the work while it alone holds these names, which must come in one order wherever several are taken. */
  holding<T>(names: readonly string[], work: () => Promise<T>): Promise<T>;
}

export function createLocks(): Locks {
  const last = new Map<string, Promise<void>>();

  async function holding<T>(names: readonly string[], work: () => Promise<T>): Promise<T> {
    const [name, ...rest] = names;
    if (name === undefined) return work();
    const before = last.get(name);
    const { promise, resolve } = createPromise();
    last.set(name, promise);
    try {
      await before;
      return await holding(rest, work);
    } finally {
      if (last.get(name) === promise) last.delete(name);
      resolve();
    }
  }
  return { holding };
}

function createPromise(): { promise: Promise<void>; resolve: () => void } {
  let resolve: () => void = () => undefined;
  const promise = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
