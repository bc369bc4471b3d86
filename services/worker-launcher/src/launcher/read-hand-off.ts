/** Reads the file that a step left as its hand-off. Call it when the step's sandbox has ended. */
import { join } from 'node:path';
import {
  HAND_OFF_MAX_BYTES,
  parseHandOff,
  type HandOff,
  type HandOffProblem,
} from '@sallyport/teams/hand-off';
import type { Workspace } from './workspace/workspace.ts';

export const HAND_OFF_NAME = 'hand-off.json';

export type ReadHandOff =
  | { ok: true; handOff: HandOff }
  | { ok: false; problem: 'missing' | 'not_a_plain_file' | HandOffProblem; message: string };

/** Reads `hand-off.json` in a step's `out` directory. Never throws for what an agent can have caused. */
export async function readHandOff(
  workspace: Pick<Workspace, 'readFile'>,
  outDirectory: string,
): Promise<ReadHandOff> {
  const read = await workspace.readFile(join(outDirectory, HAND_OFF_NAME), HAND_OFF_MAX_BYTES);
  if (read.kind === 'read') return parseHandOff(read.bytes);
  return { ok: false, problem: read.kind, message: MESSAGES[read.kind] };
}

const MESSAGES = {
  missing: 'the step left no hand-off.json in /out',
  not_a_plain_file: 'hand-off.json in /out is not a plain, readable file with a single name',
  too_large: `hand-off.json in /out has more than the ${HAND_OFF_MAX_BYTES} bytes that are taken`,
} as const;
