/** How the guard answers: JSON of its own, with the engine's status codes where an engine would answer so. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { STATUS_CODES } from 'node:http';
import { AppError, errorCodeOf, type ErrorCode } from '@sallyport/shared/errors';
import type { Answer } from './router.ts';

const DRAIN_MAX_BYTES = 128 * 1024 * 1024;
const DRAIN_MS = 5_000;

const STATUSES: Partial<Record<ErrorCode, number>> = {
  bad_input: 400,
  forbidden: 403,
  not_found: 404,
  conflict: 409,
  too_large: 413,
  unavailable: 503,
};

/** The answer for something that went wrong; a defect's own words stay in the log. */
export function answerTo(error: unknown): Answer & { status: number } {
  const status = STATUSES[errorCodeOf(error)] ?? 500;
  const message = error instanceof AppError ? error.message : 'the guard failed; its log says why';
  return { status, json: { message } };
}

/** Sends it. What was not read of the request ends the connection, so that it is not taken for the next request. */
export function sendAnswer(response: ServerResponse, answer: Answer): void {
  if (response.headersSent || response.destroyed) return;
  const body = bodyOf(answer);
  response.statusCode = answer.status;
  if (answer.json !== undefined) response.setHeader('content-type', 'application/json');
  if (answer.bytes !== undefined) response.setHeader('content-type', 'application/octet-stream');
  if (!response.req.complete) response.setHeader('connection', 'close');
  if (answer.status !== 204 && answer.status !== 304) {
    response.setHeader('content-length', body.byteLength);
  }
  response.end(body);
}

/**
 * Reads on to the end of a request that was refused, within bounds: a client that still writes would find its connection
 * broken and never read the answer.
 */
export async function drain(request: IncomingMessage): Promise<void> {
  if (request.complete || request.destroyed) return;
  await new Promise<void>((resolve) => {
    let left = DRAIN_MAX_BYTES;
    const timer = setTimeout(resolve, DRAIN_MS);
    request.on('data', (piece: Buffer) => {
      left -= piece.byteLength;
      if (left < 0) resolve();
    });
    request.once('end', resolve).once('close', resolve);
    request.once('close', () => clearTimeout(timer));
  });
}

/** The same for a connection of bare bytes, which then ends. */
export function sendRefusal(socket: Duplex, answer: Answer): void {
  const body = bodyOf(answer);
  const head = [
    `HTTP/1.1 ${answer.status} ${STATUS_CODES[answer.status] ?? ''}`,
    'content-type: application/json',
    `content-length: ${body.byteLength}`,
    'connection: close',
  ];
  // Read and dropped, or the other side's end would not be seen and the connection stay.
  socket.resume();
  socket.end(Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), body]));
}

function bodyOf({ json, bytes, status }: Answer): Buffer {
  if (bytes !== undefined) return bytes;
  if (json === undefined || status === 204 || status === 304) return Buffer.alloc(0);
  return Buffer.from(`${JSON.stringify(json)}\n`);
}
