/** Asks about a halt last of all before a sandbox starts. */
import { errorCodeOf } from '@sallyport/shared/errors';
import type { RunWork } from './work.ts';

/**
 * @returns false when there is one: the run is interrupted and nothing may start
 * @throws what made it unknown, which is no leave to start either.
 */
export async function mayStart(
  { halt, signals }: Pick<RunWork, 'halt' | 'signals'>,
  repositoryId: number,
): Promise<boolean> {
  try {
    await halt.assertClear(repositoryId);
    return true;
  } catch (error) {
    if (errorCodeOf(error) !== 'halted') throw error;
    signals.interrupt('halted');
    return false;
  }
}
