/**
 * The input and output of a container as one connection, passed on byte for byte in both directions. Each direction ends by
 * itself: the end of a program's input is not the end of what it has to say.
 */
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { AppError } from '@sallyport/shared/errors';
import type { EngineClient } from '../engine/engine-client.ts';
import type { OwnContainers } from '../engine/own-containers.ts';

const SWITCHED = [
  'HTTP/1.1 101 UPGRADED',
  'content-type: application/vnd.docker.raw-stream',
  'connection: Upgrade',
  'upgrade: tcp',
  '\r\n',
].join('\r\n');

const STREAMS = ['stdin', 'stdout', 'stderr'] as const;

export interface AttachMeans {
  engine: EngineClient;
  containers: OwnContainers;
}

/**
 * Connects a client to a container. `query` says which of its streams; `head` is what the client sent already.
 * @throws AppError before anything was sent to the client.
 */
export async function attachTo(
  { engine, containers }: AttachMeans,
  id: string,
  query: ReadonlyMap<string, string>,
  client: { socket: Duplex; head: Buffer },
): Promise<void> {
  const asked = STREAMS.filter((stream) => isYes(query.get(stream)));
  if (!isYes(query.get('stream')) || asked.length === 0) {
    throw new AppError(
      'bad_input',
      'attach: give stream=1 and at least one of stdin, stdout, stderr',
    );
  }
  await containers.inspect(id);
  const streams = Object.fromEntries(asked.map((stream) => [stream, '1']));
  const upgraded = await engine.upgrade({
    method: 'POST',
    path: `/containers/${id}/attach`,
    query: { stream: '1', ...streams },
  });
  client.socket.write(SWITCHED);
  if (upgraded.head.length > 0) client.socket.write(upgraded.head);
  join(client, upgraded.socket, asked.includes('stdin'));
}

function isYes(value: string | undefined): boolean {
  return value === '1' || value === 'true';
}

function join(
  { socket, head }: { socket: Duplex; head: Buffer },
  engine: Socket,
  hasInput: boolean,
): void {
  for (const [one, other] of [
    [socket, engine],
    [engine, socket],
  ] as const) {
    one.on('error', () => other.destroy());
    // Also without an error: whoever is gone reads no more and says no more.
    one.on('close', () => setImmediate(() => other.destroy()));
  }
  engine.pipe(socket);
  if (hasInput) {
    if (head.length > 0) engine.write(head);
    socket.pipe(engine);
  } else {
    // What comes is read and dropped, or its end would not be seen.
    socket.resume();
  }
}
