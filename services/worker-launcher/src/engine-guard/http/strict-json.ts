/**
 * Reads JSON of which there is only one reading. Docker takes keys whatever their case and the last of two alike, other
 * readers the first or neither: a body that can be read in two ways is how a check and an engine come to see two requests.
 */
import { AppError } from '@sallyport/shared/errors';

const MAX_DEPTH = 16;
const KEY = /^[A-Za-z][A-Za-z0-9]{0,63}$/;
const SPACE = /[ \t\n\r]*/y;
// Both are handed to the platform's own reader, which knows what is allowed inside them.
const STRING = /"(?:[^"\\]|\\.)*"/sy;
const SCALAR = /true|false|null|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;

/**
 * The value in these bytes: UTF-8, keys of plain letters and digits, none twice in an object, also not in another case.
 * @throws AppError `bad_input` that names the key or the place.
 */
export function readStrictJson(bytes: Uint8Array): unknown {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw new AppError('bad_input', 'the body is no UTF-8', { cause });
  }
  const reader = createReader(text);
  const value = reader.value(0);
  reader.end();
  return value;
}

function createReader(text: string): { value(depth: number): unknown; end(): void } {
  let at = 0;

  function refuse(what: string): never {
    throw new AppError('bad_input', `the body is no plain JSON: ${what} at character ${at}`);
  }
  function take(pattern: RegExp): string | undefined {
    pattern.lastIndex = at;
    const found = pattern.exec(text)?.[0];
    at += found?.length ?? 0;
    return found;
  }
  function next(): string {
    take(SPACE);
    return text[at] ?? '';
  }
  function string(): string {
    const raw = take(STRING) ?? refuse('a string that does not end or begin');
    try {
      return JSON.parse(raw) as string;
    } catch {
      return refuse('a string with characters that must be escaped');
    }
  }
  function expect(sign: string): void {
    if (next() !== sign) refuse(`no "${sign}"`);
    at += 1;
  }
  /** Whether another item follows; otherwise the end was read. */
  function more(close: string): boolean {
    const sign = next();
    if (sign !== ',' && sign !== close) refuse(`neither "," nor "${close}"`);
    at += 1;
    return sign === ',';
  }
  function isEmpty(close: string): boolean {
    if (next() !== close) return false;
    at += 1;
    return true;
  }
  function object(depth: number): Record<string, unknown> {
    const result: Record<string, unknown> = {};
    const seen = new Set<string>();
    expect('{');
    if (isEmpty('}')) return result;
    do {
      next();
      const key = string();
      if (!KEY.test(key)) refuse(`the key ${JSON.stringify(key)}`);
      if (seen.has(key.toLowerCase())) refuse(`the key "${key}" a second time`);
      seen.add(key.toLowerCase());
      expect(':');
      result[key] = value(depth);
    } while (more('}'));
    return result;
  }
  function array(depth: number): unknown[] {
    const result: unknown[] = [];
    expect('[');
    if (isEmpty(']')) return result;
    do result.push(value(depth));
    while (more(']'));
    return result;
  }
  function value(depth: number): unknown {
    if (depth > MAX_DEPTH) refuse('something too deep');
    const sign = next();
    if (sign === '{') return object(depth + 1);
    if (sign === '[') return array(depth + 1);
    if (sign === '"') return string();
    return JSON.parse(take(SCALAR) ?? refuse('nothing that is a value')) as unknown;
  }
  return {
    value,
    end() {
      if (next() !== '') refuse('something after the end');
    },
  };
}
