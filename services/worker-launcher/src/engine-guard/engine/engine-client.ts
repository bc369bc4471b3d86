/**
 * Plain HTTP to the engine's socket. A library that knows the engine would also know how to pull, build and run anything;
 * this one sends what it is given, and nothing of a client's request is ever passed on as it came.
 */
import { request, type IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { AppError, type ErrorCode } from '@sallyport/shared/errors';

/** Of one answer: a list of very many containers is far below. */
const MAX_ANSWER_BYTES = 16 * 1024 * 1024;
const TIMEOUT_MS = 120_000;
const KEPT_WORDS = 1_000;

export interface EngineCall {
  method: 'GET' | 'POST' | 'DELETE';
  path: string;
  query?: Readonly<Record<string, string>>;
  body?: unknown;
  /** For calls that are answered when something has happened. */
  patient?: boolean;
}

export interface EngineAnswer {
  status: number;
  /** Undefined when the engine answered without a body. */
  json: unknown;
}

export interface PendingAnswer {
  /** Settled once the engine has taken the request, which it shows by the head of its answer. */
  taken: Promise<void>;
  answer: Promise<EngineAnswer>;
}

export interface EngineClient {
  /**
   * Sends a call and gives the answer when it is one of success (or 304).
   * @throws AppError in the engine's words: `not_found`, `conflict`, `bad_input`, `internal`; `unavailable` without an engine.
   */
  call(call: EngineCall): Promise<EngineAnswer>;
  /** The same for a call that takes as long as it takes; abort `signal` to give it up. */
  begin(call: EngineCall, signal: AbortSignal): PendingAnswer;
  /** Makes the connection one of bare bytes. `head` is what came with the answer. */
  upgrade(call: EngineCall): Promise<{ socket: Socket; head: Buffer }>;
}

/** Creates the client. `version` stands before every path; empty for what has none. */
export function createEngineClient(socketPath: string, version: string): EngineClient {
  function send(call: EngineCall, headers: Record<string, string>, signal?: AbortSignal) {
    const body = call.body === undefined ? undefined : Buffer.from(JSON.stringify(call.body));
    const query = call.query === undefined ? '' : `?${new URLSearchParams(call.query).toString()}`;
    const sent = request({
      method: call.method,
      path: `${version}${call.path}${query}`,
      headers: {
        host: 'engine',
        ...(body === undefined
          ? {}
          : { 'content-type': 'application/json', 'content-length': String(body.byteLength) }),
        ...headers,
      },
      // Half-open, or the end of a program's input would be taken for the end of its output.
      createConnection: () => connect({ path: socketPath, allowHalfOpen: true }),
      ...(signal === undefined ? {} : { signal }),
    });
    if (call.patient !== true) {
      sent.setTimeout(TIMEOUT_MS, () => sent.destroy(new Error('no answer in time')));
    }
    sent.end(body);
    return sent;
  }

  function begin(call: EngineCall, signal?: AbortSignal): PendingAnswer {
    const sent = send(call, { connection: 'close' }, signal);
    const head = new Promise<IncomingMessage>((resolve, reject) => {
      sent.once('response', resolve);
      sent.on('error', (cause) => reject(unavailable(socketPath, cause)));
    });
    const answer = head.then((response) => readAnswer(response, socketPath));
    const taken = head.then(() => undefined);
    // Each of the two may be left alone by whoever waits for the other.
    taken.catch(() => undefined);
    answer.catch(() => undefined);
    return { taken, answer };
  }

  return {
    call: (call) => begin(call).answer,
    begin: (call, signal) => begin({ ...call, patient: true }, signal),
    upgrade(call) {
      return new Promise((resolve, reject) => {
        const sent = send(call, { connection: 'Upgrade', upgrade: 'tcp' });
        sent.once('upgrade', (_response, socket, head) => {
          socket.setTimeout(0);
          resolve({ socket, head });
        });
        sent.once('response', (response) => {
          readAnswer(response, socketPath).then(
            () => reject(new AppError('internal', 'the engine gave no stream')),
            reject,
          );
        });
        sent.on('error', (cause) => reject(unavailable(socketPath, cause)));
      });
    },
  };
}

function unavailable(socketPath: string, cause: unknown): AppError {
  const code = (cause as NodeJS.ErrnoException).code ?? (cause as Error).message;
  return new AppError('unavailable', `the engine at ${socketPath} does not answer (${code})`, {
    cause,
  });
}

const CODES: Readonly<Record<number, ErrorCode>> = {
  400: 'bad_input',
  404: 'not_found',
  409: 'conflict',
};

async function readAnswer(response: IncomingMessage, socketPath: string): Promise<EngineAnswer> {
  const status = response.statusCode ?? 0;
  const json = parse(await readWhole(response, socketPath));
  if ((status >= 200 && status < 300) || status === 304) return { status, json };
  const { message } = (json ?? {}) as { message?: unknown };
  const words = typeof message === 'string' ? message : `status ${status}`;
  throw new AppError(CODES[status] ?? 'internal', `engine: ${words.slice(0, KEPT_WORDS)}`);
}

async function readWhole(response: IncomingMessage, socketPath: string): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let length = 0;
  try {
    for await (const piece of response as AsyncIterable<Buffer>) {
      length += piece.byteLength;
      if (length > MAX_ANSWER_BYTES) throw new AppError('internal', 'the engine answered too much');
      pieces.push(piece);
    }
  } catch (error) {
    throw error instanceof AppError ? error : unavailable(socketPath, error);
  }
  return Buffer.concat(pieces);
}

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return undefined;
  }
}
