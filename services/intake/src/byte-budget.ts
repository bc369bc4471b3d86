/** A bound on the bytes that all requests in hand may keep in memory together. */

export interface ByteBudget {
  /** Takes so many bytes; the function that gives them back (once, however often called), or null when there is no room. */
  take(bytes: number): (() => void) | null;
  taken(): number;
}

export function createByteBudget(totalBytes: number): ByteBudget {
  let taken = 0;
  return {
    taken: () => taken,
    take(bytes) {
      if (taken + bytes > totalBytes) return null;
      taken += bytes;
      let given = false;
      return () => {
        if (given) return;
        given = true;
        taken -= bytes;
      };
    },
  };
}
