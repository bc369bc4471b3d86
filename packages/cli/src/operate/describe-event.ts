/** A timeline event as one line for a person: when, who, what, and the few facts that matter. */
import type { TimelineEvent } from '@sallyport/shared/db/timeline';
import { printable } from './table.ts';

const MAX_DATA_CHARS = 300;

/** `12:00:00.123  publisher        pushed  branch=… sha=…` */
export function describeEvent(event: TimelineEvent): string {
  const time = event.at.toISOString().slice(11, 23);
  return `${time}  ${event.process.padEnd(15)}  ${event.kind.padEnd(16)}  ${describeData(event.data)}`.trimEnd();
}

function describeData(data: Record<string, unknown>): string {
  // What an event says in words stands before its facts.
  const { says, ...facts } = data;
  const words = typeof says === 'string' ? [says] : [];
  const text = Object.entries(facts)
    .filter(([, value]) => value !== null && value !== undefined)
    .map(([key, value]) => `${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`);
  const clean = printable([...words, ...text].join(' '));
  return clean.length > MAX_DATA_CHARS ? `${clean.slice(0, MAX_DATA_CHARS)}…` : clean;
}
