/**
 * Asks the engine's guard for what is not the engine's: directories, leases. All that can be asked is safe to ask again, so
 * a guard that is just being restarted is waited for.
 */
import { request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '@sallyport/shared/errors';

const TIMEOUT_MS = 120_000;
const ATTEMPTS = 6;
const RETRY_MS = 500;

export interface GuardAnswer {
  status: number;
  body: Buffer;
}

export interface GuardClient {
  readonly socketPath: string;
  /**
   * Sends a request and gives the answer, whatever its status.
   * @throws AppError `unavailable` when nobody answers within a few seconds.
   */
  ask(
    method: 'GET' | 'PUT' | 'POST' | 'DELETE',
    path: string,
    body?: Uint8Array,
  ): Promise<GuardAnswer>;
}

/** Creates a client of the guard that listens on this unix socket. */
export function createGuardClient(socketPath: string, attempts = ATTEMPTS): GuardClient {
  return {
    socketPath,
    async ask(method, path, body) {
      for (let attempt = 1; ; attempt += 1) {
        try {
          return await askOnce(socketPath, method, path, body);
        } catch (error) {
          if (attempt >= attempts) throw unavailable(socketPath, error);
        }
        await sleep(RETRY_MS);
      }
    },
  };
}

/** What a refusal says. */
export function wordsOf({ status, body }: GuardAnswer): string {
  try {
    const { message } = JSON.parse(body.toString('utf8')) as { message?: unknown };
    if (typeof message === 'string') return message;
  } catch {
    // Words that are not in the guard's form are given as they are.
  }
  return `${status} ${body.toString('utf8').slice(0, 500)}`;
}

function unavailable(socketPath: string, cause: unknown): AppError {
  const code = (cause as NodeJS.ErrnoException).code ?? 'no answer';
  return new AppError(
    'unavailable',
    `the engine's guard at ${socketPath} does not answer (${code}); start engine-guard, or set GUARD_SOCKET to where it listens`,
    { cause },
  );
}

function askOnce(
  socketPath: string,
  method: string,
  path: string,
  body: Uint8Array | undefined,
): Promise<GuardAnswer> {
  return new Promise((resolve, reject) => {
    const headers = body === undefined ? {} : { 'content-length': body.byteLength };
    const sent = request({ socketPath, method, path, headers, agent: false }, (response) => {
      const pieces: Buffer[] = [];
      response.on('data', (piece: Buffer) => pieces.push(piece));
      response.on('error', reject);
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, body: Buffer.concat(pieces) }),
      );
    });
    sent.setTimeout(TIMEOUT_MS, () => sent.destroy(new Error('no answer in time')));
    sent.on('error', reject);
    sent.end(body);
  });
}
