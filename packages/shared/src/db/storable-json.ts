/**
 * JSON as jsonb can hold it. Texts from outside may carry NUL and lone surrogates, which JSON can say and jsonb refuses;
 * one such character in an issue must not make its answer unwritable for ever.
 */

const UNSTORABLE = /\0|\p{Surrogate}/gu;

/** The JSON text of a value, with each character that jsonb refuses replaced by U+FFFD. */
export function storableJson(value: unknown): string {
  return JSON.stringify(value, (_key, member: unknown) =>
    typeof member === 'string' ? member.replace(UNSTORABLE, '\ufffd') : member,
  );
}
