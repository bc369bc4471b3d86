/**
 * The connection to a container's input. Made here and not by the engine's client library, which sends the end of a body,
 * or a body, into what becomes the program's input, or waits with the request until there is some.
 */
import { request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { AppError } from '@sallyport/shared/errors';

const TIMEOUT_MS = 60_000;
const MAX_WORDS = 4_096;

/** An answer that is no connection; the words are the engine's or the guard's. */
export interface AttachRefusal {
  statusCode: number;
  json: { message: string };
}

/**
 * Attaches to a container's input, which ends with the writing side of this connection.
 * @throws AppError `unavailable`, AttachRefusal, or the error of the connection.
 */
export function attachToInput(socketPath: string, id: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const sent = request({
      method: 'POST',
      path: `/containers/${id}/attach?stream=1&stdin=1`,
      headers: { connection: 'Upgrade', upgrade: 'tcp' },
      // Half-open, or the end of what is read would also end what is written.
      createConnection: () => connect({ path: socketPath, allowHalfOpen: true }),
    });
    sent.setTimeout(TIMEOUT_MS, () =>
      sent.destroy(new AppError('unavailable', 'attaching to a container takes too long')),
    );
    sent.once('upgrade', (_answer, socket: Socket) => {
      socket.setTimeout(0);
      resolve(socket);
    });
    sent.once('response', (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (piece: string) => (text += piece));
      answer.once('end', () => reject(readAttachAnswer(answer.statusCode ?? 500, text)));
      answer.once('error', reject);
    });
    sent.once('error', reject);
    sent.end();
  });
}

/** What an answer that is no connection says. */
export function readAttachAnswer(statusCode: number, text: string): AttachRefusal {
  try {
    const { message } = JSON.parse(text) as { message?: unknown };
    if (typeof message === 'string') return { statusCode, json: { message } };
  } catch {
    // Words that are not in the engine's form are given as they are.
  }
  return { statusCode, json: { message: text.slice(0, MAX_WORDS) } };
}
