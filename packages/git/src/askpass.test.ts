import { readdir } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { ASKPASS_FILE, withToken, type SignIn } from './askpass.ts';
import { spawnLimited } from './spawn-limited.ts';

const REMOTE = { url: 'https://github.com/o/r', protocol: 'https' } as const;
const PASSWORD = "Password for 'https://x-access-token@github.com': ";

async function ask(signIn: SignIn, prompt: string): Promise<string> {
  const { stdout, exitCode } = await spawnLimited({
    argv: [ASKPASS_FILE, prompt],
    env: { PATH: '/usr/bin:/bin', ...signIn.extra },
    timeoutMs: 10_000,
    maxStdoutBytes: 10_000,
    ...(signIn.inheritFd === undefined ? {} : { inheritFd: signIn.inheritFd }),
  });
  return exitCode === 0 ? stdout.toString().trim() : 'no answer';
}

describe('the sign-in of git', () => {
  it('answers for the one host, as often as it is asked, from a file without a name', async () => {
    const before = await readdir('/dev/shm').catch(() => []);
    await withToken(REMOTE, 'ghs_token', async (signIn) => {
      expect(await ask(signIn, "Username for 'https://github.com': ")).toBe('x-access-token');
      expect(await ask(signIn, PASSWORD)).toBe('ghs_token');
      expect(await ask(signIn, PASSWORD)).toBe('ghs_token');
      expect(JSON.stringify(signIn)).not.toContain('ghs_token');
      const after = await readdir('/dev/shm').catch(() => []);
      expect(after.filter((name) => name.startsWith('sallyport-'))).toEqual(
        before.filter((name) => name.startsWith('sallyport-')),
      );
    });
  });

  it.each([
    "Password for 'https://x-access-token@github.com.example.com': ",
    "Password for 'http://x-access-token@github.com': ",
    "Password for 'https://someone@github.com': ",
    "Enter passphrase for key '/root/.ssh/id': ",
    '',
  ])('answers nothing to %j', async (prompt) => {
    await withToken(REMOTE, 'ghs_token', async (signIn) => {
      expect(await ask(signIn, prompt)).toBe('no answer');
      expect(await ask(signIn, PASSWORD)).toBe('ghs_token');
    });
  });

  it('takes one line of printable characters for a token', async () => {
    for (const token of ['', 'two\nlines', 'a b', 'x'.repeat(5_000)]) {
      const act = withToken(REMOTE, token, async () => 'ran');
      await expect(act).rejects.toMatchObject({ code: 'bad_input' });
    }
    expect(await withToken(REMOTE, 'x'.repeat(520), async () => 'ran')).toBe('ran');
  });
});
