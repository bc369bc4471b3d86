/**
 * Gives a token to git without naming it anywhere that another process can read: not in arguments, environment, URL or
 * configuration. It lies in an open file that has no name any more and that the askpass program reads as descriptor 3.
 */
import { open, rm, type FileHandle } from 'node:fs/promises';
import { constants } from 'node:fs';
import { randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { AppError } from '@sallyport/shared/errors';
import { requireRemoteUrl, type Remote } from './remote-url.ts';
import type { GitCommand } from './run-git.ts';

export const ASKPASS_FILE = fileURLToPath(new URL('askpass.sh', import.meta.url));
export const ASKPASS_DIR = dirname(ASKPASS_FILE);
const MEMORY_DIR = '/dev/shm';
const TOKEN = /^[\x21-\x7e]{1,4096}$/;

/** The part of a git command that lets it sign in at the remote; `network` of the sandbox is up to the caller. */
export type SignIn = Pick<GitCommand, 'askpass' | 'extra' | 'inheritFd' | 'protocol'>;

/**
 * Runs `act` with a sign-in for this remote and closes the token's file afterwards, whatever happened.
 * @throws AppError `bad_input` when the token could not be one, or the remote is not allowed; whatever `act` throws.
 */
export async function withToken<T>(
  remote: Remote,
  token: string,
  act: (signIn: SignIn) => Promise<T>,
): Promise<T> {
  const url = requireRemoteUrl(remote);
  if (!TOKEN.test(token))
    throw new AppError('bad_input', 'the token is not one line of printable ASCII');
  const file = await openUnlinked();
  try {
    await file.writeFile(`${token}\n`);
    return await act({
      protocol: remote.protocol,
      askpass: ASKPASS_FILE,
      inheritFd: file.fd,
      extra: {
        SALLYPORT_ASKPASS_ORIGIN: `${url.protocol}//${url.host}`,
        SALLYPORT_ASKPASS_USER_ORIGIN: `${url.protocol}//x-access-token@${url.host}`,
      },
    });
  } finally {
    await file.close();
  }
}

async function openUnlinked(): Promise<FileHandle> {
  const flags = constants.O_RDWR | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
  const failures: unknown[] = [];
  for (const dir of [MEMORY_DIR, tmpdir()]) {
    const path = join(dir, `sallyport-${randomUUID()}`);
    try {
      // oxlint-disable-next-line no-await-in-loop -- the second place is tried only when the first failed
      const file = await open(path, flags, 0o600);
      // Nameless before the token is in it: a crash leaves nothing to find.
      // oxlint-disable-next-line no-await-in-loop -- as above
      await rm(path);
      return file;
    } catch (error) {
      failures.push(error);
    }
  }
  throw new AppError('unavailable', 'no directory for the token file', {
    cause: new AggregateError(failures),
  });
}
