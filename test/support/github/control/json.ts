/** JSON that also carries what verbs need and JSON lacks: patterns, bytes, and dates. */
interface Tagged {
  readonly $pattern?: string;
  readonly $flags?: string;
  readonly $bytes?: string;
  readonly $date?: string;
}

function pack(value: unknown): unknown {
  if (value instanceof RegExp) return { $pattern: value.source, $flags: value.flags };
  if (value instanceof Date) return { $date: value.toISOString() };
  if (value instanceof Uint8Array) return { $bytes: Buffer.from(value).toString('base64') };
  if (Array.isArray(value)) return value.map(pack);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, pack(one)]));
}

function unpack(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(unpack);
  if (typeof value !== 'object' || value === null) return value;
  const tagged = value as Tagged;
  if (typeof tagged.$pattern === 'string') return new RegExp(tagged.$pattern, tagged.$flags);
  if (typeof tagged.$bytes === 'string') return Buffer.from(tagged.$bytes, 'base64');
  if (typeof tagged.$date === 'string') return new Date(tagged.$date);
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, unpack(one)]));
}

export function toText(value: unknown): string {
  return JSON.stringify(pack(value));
}

export function fromText(text: string): unknown {
  return unpack(JSON.parse(text));
}
