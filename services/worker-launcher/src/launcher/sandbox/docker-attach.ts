/**
 * The connection to a container's streams. Made here and not by the engine's client library, which sends the end of a
 * body, or a body, into what becomes the program's input.
 */
import { request, type IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { AppError } from '@sallyport/shared/errors';

const TIMEOUT_MS = 60_000;
const MAX_WORDS_BYTES = 4_096;

/** An answer that is no connection; the words are the engine's or the guard's. */
export interface AttachRefusal {
  statusCode: number;
  json: { message: string };
}

/**
 * Attaches to `output` (both streams, in frames) or `input` (whose end is that of this connection's writing side).
 * @throws AppError `unavailable`, AttachRefusal, or the error of the connection.
 */
export function attachTo(
  socketPath: string,
  id: string,
  what: 'output' | 'input',
): Promise<Socket> {
  const streams = what === 'input' ? 'stdin=1' : 'stdout=1&stderr=1';
  return new Promise((resolve, reject) => {
    const sent = request({
      method: 'POST',
      path: `/containers/${id}/attach?stream=1&${streams}`,
      headers: { connection: 'Upgrade', upgrade: 'tcp' },
      // Half-open, or the end of what is read would also end what is written.
      createConnection: () => connect({ path: socketPath, allowHalfOpen: true }),
    });
    sent.setTimeout(TIMEOUT_MS, () =>
      sent.destroy(new AppError('unavailable', 'attaching to a container takes too long')),
    );
    sent.once('upgrade', (_answer, socket: Socket, head) => {
      socket.setTimeout(0);
      if (head.byteLength > 0) socket.unshift(head);
      resolve(socket);
    });
    sent.once('response', (answer) => {
      readRefusal(answer).then(reject, reject);
    });
    sent.once('error', reject);
    sent.end();
  });
}

async function readRefusal(answer: IncomingMessage): Promise<AttachRefusal> {
  let text = '';
  for await (const piece of answer as AsyncIterable<Buffer>) {
    if (text.length < MAX_WORDS_BYTES) text += piece.toString();
  }
  const statusCode = answer.statusCode ?? 500;
  try {
    const { message } = JSON.parse(text) as { message?: unknown };
    if (typeof message === 'string') return { statusCode, json: { message } };
  } catch {
    // Words that are not in the engine's form are given as they are.
  }
  return { statusCode, json: { message: text } };
}
