/** Calls of tests over a unix socket, to an engine or its guard, byte for byte as the test says. */
import { request } from 'node:http';
import type { Readable } from 'node:stream';

export interface CallAnswer {
  readonly status: number;
  readonly body: Buffer;
  /** The body as JSON; undefined when it is none. */
  readonly json: unknown;
  /** The `message` in it; empty without one. */
  readonly message: string;
}

export type CallBody = string | Buffer | Readable | Record<string, unknown>;

/** Sends one request; an object is sent as JSON, anything else as it is. */
export function callEngine(
  socket: string,
  method: string,
  path: string,
  body?: CallBody,
  headers: Readonly<Record<string, string>> = {},
): Promise<CallAnswer> {
  return new Promise((resolve, reject) => {
    const bytes = isPlain(body) ? JSON.stringify(body) : body;
    const kind = body === undefined ? {} : { 'content-type': 'application/json' };
    const sent = request(
      { socketPath: socket, method, path, headers: { ...kind, ...headers }, agent: false },
      (response) => {
        const pieces: Buffer[] = [];
        response.on('data', (piece: Buffer) => pieces.push(piece));
        response.on('error', reject);
        response.on('end', () =>
          resolve(answerOf(response.statusCode ?? 0, Buffer.concat(pieces))),
        );
      },
    );
    sent.on('error', reject);
    if (bytes === undefined || typeof bytes === 'string' || Buffer.isBuffer(bytes)) sent.end(bytes);
    else bytes.pipe(sent);
  });
}

function isPlain(body: CallBody | undefined): body is Record<string, unknown> {
  return typeof body === 'object' && !Buffer.isBuffer(body) && typeof body['pipe'] !== 'function';
}

function answerOf(status: number, body: Buffer): CallAnswer {
  let json: unknown;
  try {
    json = JSON.parse(body.toString('utf8'));
  } catch {
    json = undefined;
  }
  const message = (json as { message?: unknown } | null | undefined)?.message;
  return { status, body, json, message: typeof message === 'string' ? message : '' };
}
