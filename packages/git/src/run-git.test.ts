import { describe, expect, it } from 'vitest';
import { gitEnvironment, gitGlobalArguments } from './environment.ts';
import { bubblewrapArguments, detectIsolation } from './isolation.ts';
import {
  attemptGit,
  HOSTILE_RESOURCES,
  hitKernelLimit,
  limitArguments,
  runGit,
} from './run-git.ts';
import { spawnLimited, type SpawnRequest } from './spawn-limited.ts';

const ENDLESS = { maxStdoutBytes: Number.MAX_SAFE_INTEGER };
const PLAIN = { env: { PATH: '/usr/bin:/bin' }, timeoutMs: 5_000, maxStdoutBytes: 1_000 };

async function* stalled(): AsyncGenerator<Uint8Array> {
  yield Buffer.from('the beginning');
  await new Promise(() => undefined);
}

async function* failing(): AsyncGenerator<Uint8Array> {
  yield Buffer.from('the beginning');
  throw new Error('the input failed');
}

function sh(script: string, more: Partial<SpawnRequest> = {}) {
  return spawnLimited({ ...PLAIN, argv: ['/bin/sh', '-c', script], ...more });
}

describe('a limited child', () => {
  it('gets its input and gives its output', async () => {
    const result = await sh('cat; echo err >&2', { stdin: Buffer.from('in') });
    expect(result).toMatchObject({ end: 'exited', exitCode: 0, stderr: 'err' });
    expect(result.stdout.toString()).toBe('in');
  });

  it('has no variable but those given', async () => {
    const result = await sh('env', { env: { ONLY: '1' } });
    expect(result.stdout.toString()).toMatch(/^ONLY=1$/m);
    expect(result.stdout.toString()).not.toMatch(/HOME|NODE|GIT/);
  });

  it('is killed with its children when its time is over', async () => {
    const begun = performance.now();
    const result = await sh('sleep 30 & sleep 30', { timeoutMs: 200 });
    expect(result).toMatchObject({ end: 'timed_out' });
    expect(performance.now() - begun).toBeLessThan(5_000);
  });

  it('is killed when it says too much', async () => {
    expect(await sh('yes')).toMatchObject({ end: 'output_capped' });
    expect(await sh('yes | head -c 999')).toMatchObject({ end: 'exited', exitCode: 0 });
  });

  it('is stopped when the reader has enough, and its throw is passed on', async () => {
    expect(await sh('yes', { ...ENDLESS, onStdout: () => 'stop' })).toMatchObject({
      end: 'stopped',
    });
    const act = sh('yes', {
      ...ENDLESS,
      onStdout: () => {
        throw new Error('enough');
      },
    });
    await expect(act).rejects.toThrow('enough');
  });

  it('may leave its input unread', async () => {
    async function* endless(): AsyncGenerator<Uint8Array> {
      for (;;) yield Buffer.alloc(65_536);
    }
    expect(await sh('exit 3', { stdin: endless() })).toMatchObject({ exitCode: 3 });
  });

  it('does not outlast its time when its input stalls, and ends when its input fails', async () => {
    expect(await sh('cat', { stdin: stalled(), timeoutMs: 200 })).toMatchObject({
      end: 'timed_out',
    });
    await expect(sh('cat', { stdin: failing() })).rejects.toThrow('the input failed');
  });

  it('shows of its errors only printable characters and no credential', async () => {
    const result = await sh(`printf 'a\\033[2J ghs_${'x'.repeat(40)}' >&2`);
    expect(result.stderr).toBe('a\\u{1b}[2J [redacted]');
  });

  it('is an error when there is no such program', async () => {
    const act = spawnLimited({ ...PLAIN, argv: ['/nonexistent/program'] });
    await expect(act).rejects.toMatchObject({ code: 'unavailable' });
  });
});

describe('running git', () => {
  it('gives the error that the end stands for', async () => {
    await expect(runGit({ args: ['no-such-command'] })).rejects.toMatchObject({
      code: 'bad_input',
      detail: { exitCode: 1 },
    });
    await expect(runGit({ args: ['version'], maxStdoutBytes: 3 })).rejects.toMatchObject({
      code: 'too_large',
    });
    const waiting = runGit({ args: ['hash-object', '--stdin'], stdin: stalled(), timeoutMs: 100 });
    await expect(waiting).rejects.toMatchObject({ code: 'transient' });
    expect((await runGit({ args: ['version'] })).toString()).toMatch(/^git version/);
  });

  it('holds it to its limits', async () => {
    const limits = await attemptGit({
      args: ['version'],
      wrap: ([first, ...rest]) => [
        first,
        ...rest.slice(0, rest.indexOf('/usr/bin/git')),
        '/bin/sh',
        '-c',
        'ulimit -v; ulimit -c; ulimit -n',
      ],
    });
    expect(limits.stdout.toString()).toBe('1048576\n0\n64\n');
    expect(limitArguments(HOSTILE_RESOURCES)).toContain('--fsize=67108864');
  });

  it('knows an end by the kernel from a refusal', async () => {
    expect(hitKernelLimit(await sh('kill -XFSZ $$'))).toBe(true);
    expect(hitKernelLimit(await sh('exit 153'))).toBe(true);
    expect(hitKernelLimit(await sh('exit 128'))).toBe(false);
  });

  it('cannot be told by an alias, a variable or the repository what to do', async () => {
    expect(gitEnvironment()).toMatchObject({
      GIT_ALLOW_PROTOCOL: 'none',
      GIT_ASKPASS: '/bin/false',
    });
    expect(gitEnvironment({ protocol: 'https' })['GIT_ALLOW_PROTOCOL']).toBe('https');
    expect(gitEnvironment({ protocol: 'loopback_http' })['GIT_ALLOW_PROTOCOL']).toBe('http');
    const settings = await runGit({ args: ['config', '--list', '--show-origin', '--name-only'] });
    expect(settings.toString()).not.toMatch(/^file:/m);
    expect(gitGlobalArguments('hostile')).toContain('core.bigFileThreshold=100g');
    expect(gitGlobalArguments('source')).not.toContain('core.bigFileThreshold=100g');
  });

  it('opens no connection unless it is told to', async () => {
    const args = ['ls-remote', '--', 'http://127.0.0.1:9/x'] as const;
    const closed = await attemptGit({ args });
    expect(closed.stderr).toMatch(/transport 'http' not allowed/);
    expect((await attemptGit({ args, protocol: 'loopback_http' })).stderr).toMatch(
      /Failed to connect|refused/,
    );
  });
});

describe('isolation', () => {
  it('is found out by trying', async () => {
    const found = await detectIsolation();
    const direct = await sh('bwrap --unshare-all --ro-bind / / /bin/true');
    expect(found.kind).toBe(direct.exitCode === 0 ? 'bubblewrap' : 'none');
  });

  it('shares no network unless asked, and sets each variable by name', () => {
    const closed = bubblewrapArguments({}, ['/bin/true'], { A: '1' });
    expect(closed).toContain('--unshare-all');
    expect(closed).not.toContain('--share-net');
    expect(closed.join(' ')).toContain('--clearenv --setenv A 1');
    expect(closed.slice(-2)).toEqual(['--', '/bin/true']);
    expect(bubblewrapArguments({ network: true }, ['/bin/true'], {})).toContain('--share-net');
  });
});
