/**
 * Gives the memory of a large body back to the machine at once. Buffers lie outside V8's heap, and an idle process never
 * feels the pressure that would make it collect them: without this, three large deliveries a day would cost their memory
 * all day.
 */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** A function that collects garbage, in some ten milliseconds. */
export function createFreeMemory(): () => void {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  setFlagsFromString('--no-expose-gc');
  return () => collect();
}
