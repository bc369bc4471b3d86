/**
 * Lets writes to one repository happen one after another, as GitHub's database does: two requests to open the same pull
 * request at the same moment must give one pull request and one refusal.
 */
export interface Turns {
  /** Runs the work when everything before it under the same key has ended. */
  take<T>(key: number, work: () => Promise<T>): Promise<T>;
}

export function createTurns(): Turns {
  const tails = new Map<number, Promise<unknown>>();
  return {
    take: (key, work) => {
      const before = tails.get(key) ?? Promise.resolve();
      const mine = before.then(work, work);
      tails.set(
        key,
        mine.catch(() => undefined),
      );
      return mine;
    },
  };
}
