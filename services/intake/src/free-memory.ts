/**
 * Gives the memory of a large body back to the machine at once. Buffers lie outside V8's heap, and an idle process never
 * feels the pressure that would make it collect them: without this, three large deliveries a day would cost their memory
 * all day.
 */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** By then the answer is sent, and nothing of the server holds the last body any more. */
const AGAIN_MS = 1_000;

/** A function that collects garbage, in some ten milliseconds, and once more when no other body has come for a second. */
export function createFreeMemory(): () => void {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  setFlagsFromString('--no-expose-gc');
  let again: NodeJS.Timeout | undefined;
  return () => {
    collect();
    clearTimeout(again);
    // On a busy machine the first comes while a socket still holds what was read from it.
    again = setTimeout(collect, AGAIN_MS);
    again.unref();
  };
}
