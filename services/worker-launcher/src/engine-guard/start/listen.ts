/** Takes the place of the socket, with its permissions from the first moment, unless somebody answers there. */
import { chown, lstat, unlink } from 'node:fs/promises';
import type { Server } from 'node:http';
import { connect } from 'node:net';
import { AppError } from '@sallyport/shared/errors';

const ASKED_MS = 2_000;
/** What is made under it has the mode 0660. */
const MASK = 0o117;

/** @throws AppError `bad_config` when another guard listens there, or something else lies there. */
export async function listenOn(
  server: Server,
  path: string,
  gid: number | undefined,
): Promise<void> {
  await clearPlace(path);
  const before = process.umask(MASK);
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', (cause) =>
        reject(
          new AppError(
            'bad_config',
            `GUARD_SOCKET: cannot listen at ${path} (${cause.message}); make its directory`,
            { cause },
          ),
        ),
      );
      server.listen(path, resolve);
    });
  } finally {
    process.umask(before);
  }
  if (gid !== undefined) await chown(path, process.getuid?.() ?? 0, gid);
}

async function clearPlace(path: string): Promise<void> {
  const stat = await lstat(path).catch(() => undefined);
  if (stat === undefined) return;
  if (!stat.isSocket()) {
    throw new AppError(
      'bad_config',
      `GUARD_SOCKET: ${path} is there and no socket; remove it or give another path`,
    );
  }
  if (await somebodyAnswers(path)) {
    throw new AppError(
      'bad_config',
      `GUARD_SOCKET: another guard listens at ${path}; one is enough for an engine`,
    );
  }
  await unlink(path);
}

function somebodyAnswers(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    const settle = (answers: boolean): void => {
      socket.destroy();
      resolve(answers);
    };
    socket.setTimeout(ASKED_MS, () => settle(true));
    socket.once('connect', () => settle(true));
    socket.once('error', () => settle(false));
  });
}
