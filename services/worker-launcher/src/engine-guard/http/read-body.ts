/** Reads what a request carries, up to a bound that is looked at before and while it comes. */
import type { IncomingMessage } from 'node:http';
import { AppError } from '@sallyport/shared/errors';
import { readStrictJson } from './strict-json.ts';

const JSON_MAX_BYTES = 1024 * 1024;
const JSON_TYPE = /^application\/json(?:; *charset=utf-8)?$/i;
/** `{}` and some space: what clients send where they have nothing to say. */
const EMPTY_MAX_BYTES = 16;

/** @throws AppError `bad_input` for another type or another JSON, `too_large` beyond 1 MiB. */
export async function readJsonBody(request: IncomingMessage): Promise<unknown> {
  if (!JSON_TYPE.test(request.headers['content-type'] ?? '')) {
    throw new AppError('bad_input', 'the body must be of the type application/json');
  }
  return readStrictJson(await readBody(request, JSON_MAX_BYTES));
}

/** @throws AppError `bad_input` when there is more than `{}`. */
export async function requireNoBody(request: IncomingMessage): Promise<void> {
  const text = await readBody(request, EMPTY_MAX_BYTES).catch(() => undefined);
  if (text !== undefined && ['', '{}'].includes(text.toString('latin1').trim())) return;
  throw new AppError('bad_input', 'this request takes no body');
}

/** @throws AppError `too_large` when the request says that it is. */
export function requireLength(request: IncomingMessage, maxBytes: number): void {
  requireUncoded(request);
  if (Number(request.headers['content-length'] ?? 0) <= maxBytes) return;
  throw new AppError('too_large', `the body is larger than ${maxBytes} bytes`);
}

async function readBody(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  requireLength(request, maxBytes);
  const pieces: Buffer[] = [];
  let length = 0;
  // Left open when it is too much: the connection is needed to say so.
  for await (const piece of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    length += piece.byteLength;
    if (length > maxBytes) {
      throw new AppError('too_large', `the body is larger than ${maxBytes} bytes`);
    }
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

function requireUncoded(request: IncomingMessage): void {
  if (request.headers['content-encoding'] === undefined) return;
  throw new AppError('bad_input', 'a body with a content-encoding is not taken');
}
