/** Attaches to a container through a socket, and takes its output apart. */
import { request } from 'node:http';
import type { Duplex } from 'node:stream';

export interface Attached {
  socket: Duplex;
  /** All that it said, once the connection has ended. */
  output: Promise<string>;
}

/** @throws Error with status and body when the other side does not make it a stream. */
export function attach(
  socketPath: string,
  id: string,
  streams: readonly ('stdin' | 'stdout' | 'stderr')[] = ['stdout', 'stderr'],
): Promise<Attached> {
  const query = new URLSearchParams({
    stream: '1',
    ...Object.fromEntries(streams.map((stream) => [stream, '1'])),
  });
  return new Promise((resolve, reject) => {
    const sent = request({
      socketPath,
      method: 'POST',
      path: `/containers/${id}/attach?${query.toString()}`,
      headers: { connection: 'Upgrade', upgrade: 'tcp' },
      agent: false,
    });
    sent.on('error', reject);
    sent.on('response', (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (text: string) => (body += text));
      response.on('end', () => reject(new Error(`${response.statusCode ?? 0} ${body}`)));
    });
    sent.on('upgrade', (_response, socket, head) => {
      const pieces: Buffer[] = [head];
      const output = new Promise<string>((settle, fail) => {
        socket.on('data', (piece: Buffer) => pieces.push(piece));
        socket.on('end', () => settle(withoutFrames(Buffer.concat(pieces))));
        socket.on('error', fail);
      });
      resolve({ socket, output });
    });
    sent.end();
  });
}

function withoutFrames(bytes: Buffer): string {
  const pieces: Buffer[] = [];
  for (let at = 0; at + 8 <= bytes.byteLength;) {
    const length = bytes.readUInt32BE(at + 4);
    pieces.push(bytes.subarray(at + 8, at + 8 + length));
    at += 8 + length;
  }
  return Buffer.concat(pieces).toString('utf8');
}
