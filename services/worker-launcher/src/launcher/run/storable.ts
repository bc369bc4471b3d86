/**
 * Makes values that an agent wrote fit for Postgres and for people: jsonb refuses NUL and lone surrogates, and a step
 * must not fail because its hand-off holds one; credential shapes are taken out before anybody can read them.
 */
import { scrubSecrets } from '@sallyport/shared/scrub';

const UNSTORABLE = /[\u0000\p{Surrogate}]/gu;

/** The text without what Postgres refuses and without credential shapes. */
export function storableText(text: string): string {
  return scrubSecrets(text.replace(UNSTORABLE, '\ufffd'));
}

/** The same for every string in a JSON value, names of fields included. */
export function storableJson(value: unknown): unknown {
  if (typeof value === 'string') return storableText(value);
  if (Array.isArray(value)) return value.map(storableJson);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [storableText(name), storableJson(field)]),
  );
}
