/**
 * The hand-off of an agent that could not write a file: its last words carry it, as one block of JSON. Only for agents
 * whose adapter says so, and checked like any other.
 */
import { HAND_OFF_MAX_BYTES, parseHandOff } from '@sallyport/teams/hand-off';
import type { ReadHandOff } from '../read-hand-off.ts';

const BLOCK = /```json[ \t]*\r?\n([\s\S]*?)\r?\n[ \t]*```/g;

/** Reads the last block of JSON in what the agent printed. */
export function handOffInWords(printed: string): ReadHandOff {
  const block = [...printed.slice(-4 * HAND_OFF_MAX_BYTES).matchAll(BLOCK)].at(-1)?.[1];
  if (block === undefined) {
    const message =
      'the step left no hand-off.json in /out and its last words hold no block of JSON';
    return { ok: false, problem: 'missing', message };
  }
  return parseHandOff(Buffer.from(block));
}
