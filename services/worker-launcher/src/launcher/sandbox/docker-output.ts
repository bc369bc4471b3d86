/**
 * The connection on which a container's output comes, read into one buffer that is used again and again: whatever a sandbox
 * prints, its launcher holds one piece of it and makes no garbage. That is also why the request is written here by hand.
 */
import { connect, type Socket } from 'node:net';
import { AppError } from '@sallyport/shared/errors';
import { readAttachAnswer } from './docker-attach.ts';

const BUFFER_BYTES = 64 * 1024;
const MAX_HEAD_BYTES = 16 * 1024;
const TIMEOUT_MS = 60_000;

/** Frames of output, cut anywhere. A piece is good until the next one is asked for, and nothing is read before that. */
export interface OutputConnection extends AsyncIterable<Buffer> {
  destroy(error?: Error): void;
}

/**
 * Attaches to both streams of a container's output.
 * @throws AppError `unavailable`, AttachRefusal, or the error of the connection.
 */
export async function attachToOutput(socketPath: string, id: string): Promise<OutputConnection> {
  const pieces = connectInPieces(socketPath);
  pieces.socket.write(
    `POST /containers/${id}/attach?stream=1&stdout=1&stderr=1 HTTP/1.1\r\nHost: guard\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n\r\n`,
  );
  const late = new AppError('unavailable', 'attaching to a container takes too long');
  const timer = setTimeout(() => pieces.socket.destroy(late), TIMEOUT_MS);
  try {
    const head = await readHead(pieces);
    if (!head.text.startsWith('HTTP/1.1 101 ')) throw await refusalOf(head, pieces);
    return {
      destroy: (error) => void pieces.socket.destroy(error),
      async *[Symbol.asyncIterator]() {
        if (head.rest.byteLength > 0) yield head.rest;
        for (let piece = await pieces.next(); piece !== undefined; piece = await pieces.next()) {
          yield piece;
        }
      },
    };
  } catch (error) {
    pieces.socket.destroy();
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

interface Pieces {
  socket: Socket;
  /** The next piece, in place of the last one; undefined at the end. */
  next(): Promise<Buffer | undefined>;
}

function connectInPieces(path: string): Pieces {
  let piece: Buffer | undefined;
  let failure: Error | undefined;
  let isOver = false;
  let given = false;
  let wake: () => void = () => undefined;
  const socket = connect({
    path,
    onread: {
      buffer: Buffer.alloc(BUFFER_BYTES),
      callback(length, buffer) {
        piece = Buffer.from(buffer.buffer, buffer.byteOffset, length);
        wake();
        return false;
      },
    },
  });
  socket.on('error', (error) => {
    failure = error;
  });
  for (const event of ['end', 'close'] as const) {
    socket.on(event, () => {
      isOver = true;
      wake();
    });
  }
  return {
    socket,
    async next() {
      if (given) {
        given = false;
        piece = undefined;
        socket.resume();
      }
      while (piece === undefined && !isOver) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      if (failure !== undefined) throw failure;
      given = piece !== undefined;
      return piece;
    },
  };
}

interface Head {
  text: string;
  rest: Buffer;
}

async function readHead(pieces: Pieces): Promise<Head> {
  let bytes = Buffer.alloc(0);
  while (bytes.byteLength < MAX_HEAD_BYTES) {
    const piece = await pieces.next();
    if (piece === undefined) break;
    bytes = Buffer.concat([bytes, piece]);
    const end = bytes.indexOf('\r\n\r\n');
    if (end >= 0) return { text: bytes.toString('latin1', 0, end), rest: bytes.subarray(end + 4) };
  }
  throw new AppError('unavailable', 'the guard ended the connection to a container');
}

async function refusalOf({ text, rest }: Head, pieces: Pieces): Promise<unknown> {
  let body = rest;
  while (body.byteLength < MAX_HEAD_BYTES) {
    const piece = await pieces.next();
    if (piece === undefined) break;
    body = Buffer.concat([body, piece]);
  }
  return readAttachAnswer(Number(text.split(' ', 2)[1]), body.toString('utf8'));
}
