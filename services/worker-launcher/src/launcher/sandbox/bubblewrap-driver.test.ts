import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createBubblewrapDriver } from './bubblewrap-driver.ts';
import { nodeInside } from './root-layout.ts';
import { MIB, shellSpec } from './sandbox-fixture.ts';

const driver = createBubblewrapDriver();
let directory: string;
let server: Server;
let port: number;

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'sandbox-test-'));
  server = createServer((socket) => socket.end('reached'));
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  port = typeof address === 'object' && address !== null ? address.port : 0;
});
afterAll(() => {
  server.close();
  rmSync(directory, { recursive: true });
});

describe('the walls', () => {
  test('a program that exits is reported with its code and what it printed', async () => {
    const exit = await driver.run(shellSpec('echo out; echo err >&2; exit 3'));
    expect(exit.end).toEqual({ kind: 'exited', code: 3 });
    expect(exit.stdout).toEqual({ text: 'out\n', totalBytes: 4, truncated: false });
    expect(exit.stderr.text).toBe('err\n');
  });

  test('there is no network: a listener of this very host cannot be reached', async () => {
    const connect = `exec 5<>/dev/tcp/127.0.0.1/${port} && cat <&5`;
    const exit = await driver.run(shellSpec('', { argv: ['/bin/bash', '-c', connect] }));
    expect(exit.end).toEqual({ kind: 'exited', code: 1 });
    expect(exit.stderr.text).toContain('Connection refused');
    const twin = await fetchFrom(port);
    expect(twin).toBe('reached');
  });

  test('of the host nothing is there but the programs and an /etc of our own', async () => {
    const script = 'ls /; ls /root /var/lib /srv; cat /etc/shadow /etc/passwd; ls /home /etc';
    const exit = await driver.run(shellSpec(script));
    expect(exit.stdout.text.split('\n').slice(0, 8)).not.toContain('root');
    expect(exit.stderr.text).toContain('/root');
    expect(exit.stderr.text).toContain('/etc/shadow');
    expect(exit.stdout.text).toContain('agent:x:1000');
    expect(exit.stdout.text).not.toContain(readFileSync('/etc/passwd', 'utf8').split('\n')[1]);
  });

  test('the environment is what the specification says and nothing else', async () => {
    process.env['SANDBOX_TEST_SECRET'] = 'canary-5417';
    try {
      const env = { PATH: '/usr/bin:/bin', ONLY: 'this' };
      const exit = await driver.run(shellSpec('', { argv: ['/usr/bin/env'], env }));
      const lines = exit.stdout.text
        .trim()
        .split('\n')
        .filter((l) => !l.startsWith('PWD='));
      expect(lines.toSorted()).toEqual(['ONLY=this', 'PATH=/usr/bin:/bin']);
      const environs = await driver.run(
        shellSpec('cat /proc/[0-9]*/environ; cat /proc/[0-9]*/cmdline'),
      );
      expect(environs.stdout.text).not.toContain('canary-5417');
      expect(environs.stdout.text).not.toContain(process.cwd());
      // The twin: the launcher's own environment does hold it.
      expect(process.env['SANDBOX_TEST_SECRET']).toBe('canary-5417');
    } finally {
      delete process.env['SANDBOX_TEST_SECRET'];
    }
  });

  test("the host's processes are neither seen nor reached by a signal", async () => {
    const exit = await driver.run(shellSpec(`ls -d /proc/[0-9]* | wc -l; kill -0 ${process.pid}`));
    expect(Number(exit.stdout.text.trim())).toBeLessThan(8);
    expect(exit.stderr.text).toContain('No such process');
  });

  test('no open file of the launcher but the three standard ones is there', async () => {
    const exit = await driver.run(shellSpec('ls -l /proc/self/fd /proc/1/fd'));
    const targets = exit.stdout.text.split('\n').filter((l) => l.includes('->'));
    for (const line of targets)
      expect(line).toMatch(
        / anon_inode:\S+$|sandboxes-\w+\/[-\w]+-[012] \(deleted\)$| \/proc\/\d+\/fd$/,
      );
  });

  test('what is mounted read-only cannot be written, and what is mounted writable can', async () => {
    writeFileSync(join(directory, 'given'), 'as it was');
    const write = shellSpec('echo changed > /m/given');
    const mount = { kind: 'bind', role: 'm', source: directory, target: '/m' } as const;
    const refused = await driver.run({ ...write, mounts: [{ ...mount, access: 'read_only' }] });
    expect(refused.end).not.toEqual({ kind: 'exited', code: 0 });
    expect(readFileSync(join(directory, 'given'), 'utf8')).toBe('as it was');
    const allowed = await driver.run({ ...write, mounts: [{ ...mount, access: 'read_write' }] });
    expect(allowed.end).toEqual({ kind: 'exited', code: 0 });
    expect(readFileSync(join(directory, 'given'), 'utf8')).toBe('changed\n');
  });

  test('the root, /usr, /etc and /dev cannot be written, scratch space can', async () => {
    const script =
      'for d in / /usr /etc /dev /home; do touch $d/x 2>/dev/null && echo wrote $d; done; touch /tmp/x /run/x /home/agent/x /dev/shm/x && echo scratch';
    const exit = await driver.run(shellSpec(script));
    expect(exit.stdout.text).toBe('scratch\n');
  });

  test('the program has no capability and can make no user namespace', async () => {
    const exit = await driver.run(
      shellSpec('grep CapEff /proc/self/status; unshare -U true; id -u'),
    );
    expect(exit.stdout.text).toMatch(/CapEff:\s+0000000000000000\n1000\n/);
    expect(exit.stderr.text).toContain('unshare failed');
  });

  test('node runs inside, at the place that nodeInside names', async () => {
    const exit = await driver.run(shellSpec('', { argv: [nodeInside(), '-p', '6*7'] }));
    expect(exit.stdout.text).toBe('42\n');
  });
});

describe('the limits', { timeout: 60_000 }, () => {
  test('a program that runs too long is ended, also when it ignores the polite signal', async () => {
    const exit = await driver.run(
      shellSpec("trap '' TERM; while :; do sleep 1; done", { limits: { wallMs: 300 } }),
    );
    expect(exit.end).toEqual({ kind: 'timed_out' });
    expect(exit.durationMs).toBeLessThan(2_000);
    const twin = await driver.run(shellSpec('sleep 0.1', { limits: { wallMs: 2_000 } }));
    expect(twin.end).toEqual({ kind: 'exited', code: 0 });
  });

  test('a program that heeds the polite signal may still finish what it was at', async () => {
    const script = "trap 'echo saved; exit 0' TERM; while :; do sleep 0.05; done";
    const exit = await driver.run(shellSpec(script, { limits: { wallMs: 300, graceMs: 2_000 } }));
    expect(exit.end).toEqual({ kind: 'timed_out' });
    expect(exit.stdout.text).toBe('saved\n');
    expect(exit.durationMs).toBeLessThan(1_500);
  });

  test('the caller can stop it, and what is stopped before it begins never runs', async () => {
    const stop = new AbortController();
    const run = driver.run(shellSpec('sleep 30'), { signal: stop.signal });
    await sleep(150);
    stop.abort();
    const exit = await run;
    expect(exit.end).toEqual({ kind: 'stopped' });
    expect(exit.durationMs).toBeLessThan(2_000);
    const never = await driver.run(shellSpec('echo ran'), { signal: stop.signal });
    expect([never.end, never.stdout.totalBytes]).toEqual([{ kind: 'stopped' }, 0]);
  });

  test('a flood of 200 MB is cut off at the limit, in constant memory', async () => {
    const before = process.memoryUsage().rss;
    const exit = await driver.run(
      shellSpec('head -c 200000000 /dev/zero', { limits: { outputBytes: 20 * MIB } }),
    );
    expect(exit.end).toEqual({ kind: 'output_limit' });
    expect(exit.stdout.totalBytes).toBeLessThan(24 * MIB);
    expect(exit.stdout.truncated).toBe(true);
    const whole = await driver.run(
      shellSpec('head -c 200000000 /dev/zero', { limits: { outputBytes: 300 * MIB } }),
    );
    expect([whole.end, whole.stdout.totalBytes]).toEqual([
      { kind: 'exited', code: 0 },
      200_000_000,
    ]);
    expect(whole.stdout.text).toMatch(/^\[199934464 bytes before this were dropped\]\n/);
    expect(process.memoryUsage().rss - before).toBeLessThan(80 * MIB);
  });

  test('a fork bomb is contained and leaves nothing', async () => {
    const bomb =
      'b() { [ $1 -gt 0 ] && { b $(($1 - 1)) | b $(($1 - 1)) & }; }; b 9; sleep 3; echo survived';
    const exit = await driver.run(
      shellSpec('', { argv: ['/bin/bash', '-c', bomb], limits: { processes: 60, wallMs: 2_500 } }),
    );
    expect(['process_limit', 'timed_out']).toContain(exit.end.kind);
    const twin = await driver.run(
      shellSpec('sleep 0.3 & sleep 0.3 & wait; echo survived', { limits: { processes: 60 } }),
    );
    expect(twin.stdout.text).toBe('survived\n');
  });

  test('memory over the limit ends the sandbox, memory under it does not', async () => {
    const eat = (mib: number): string =>
      `const a = Buffer.alloc(${mib} * 1048576, 1); setTimeout(() => console.log(a.length), 700)`;
    const over = await driver.run(
      shellSpec('', { argv: [nodeInside(), '-e', eat(600)], limits: { memoryBytes: 300 * MIB } }),
    );
    expect(over.end).toEqual({ kind: 'memory_limit' });
    const under = await driver.run(
      shellSpec('', { argv: [nodeInside(), '-e', eat(100)], limits: { memoryBytes: 300 * MIB } }),
    );
    expect(under.end).toEqual({ kind: 'exited', code: 0 });
    expect(under.peak.memoryBytes).toBeGreaterThan(100 * MIB);
  });

  test('scratch space in memory is bounded', async () => {
    const exit = await driver.run(
      shellSpec('head -c 40000000 /dev/zero > /tmp/x', { limits: { memoryBytes: 64 * MIB } }),
    );
    expect(exit.stderr.text).toContain('No space left');
    const twin = await driver.run(
      shellSpec('head -c 20000000 /dev/zero > /tmp/x', { limits: { memoryBytes: 64 * MIB } }),
    );
    expect(twin.end).toEqual({ kind: 'exited', code: 0 });
  });

  test('one file and the sum of all files are bounded', async () => {
    const mounts = [
      { kind: 'bind', role: 'm', source: directory, target: '/m', access: 'read_write' },
    ] as const;
    const one = await driver.run(
      shellSpec('head -c 3000000 /dev/zero > /m/big', { mounts, limits: { fileBytes: 2 * MIB } }),
    );
    expect(one.end).not.toEqual({ kind: 'exited', code: 0 });
    const script = 'i=0; while :; do i=$((i+1)); head -c 1000000 /dev/zero > /m/f$((i%20)); done';
    const all = await driver.run(
      shellSpec(script, { mounts, limits: { fileBytes: 2 * MIB, diskBytes: 40 * MIB } }),
    );
    expect(all.end).toEqual({ kind: 'disk_limit' });
    const twin = await driver.run(
      shellSpec('head -c 1000000 /dev/zero > /m/f', { mounts, limits: { fileBytes: 2 * MIB } }),
    );
    expect(twin.end).toEqual({ kind: 'exited', code: 0 });
  });

  test('a process that detached itself ends with the sandbox, before run() returns', async () => {
    const mounts = [
      { kind: 'bind', role: 'm', source: directory, target: '/m', access: 'read_write' },
    ] as const;
    const script =
      'setsid sh -c "trap \'\' HUP TERM; while :; do date +%N > /m/beat; sleep 0.02; done" & sleep 0.2; exit 0';
    const exit = await driver.run(shellSpec(script, { mounts }));
    expect(exit.end).toEqual({ kind: 'exited', code: 0 });
    const last = readFileSync(join(directory, 'beat'), 'utf8');
    await sleep(150);
    expect(readFileSync(join(directory, 'beat'), 'utf8')).toBe(last);
  });

  test('a program killed by a signal of its own is told apart', async () => {
    const exit = await driver.run(shellSpec('kill -SEGV $$'));
    expect(exit.end).toEqual({ kind: 'signalled', signal: 'SIGSEGV' });
  });
});

describe('bytes', () => {
  test('streams go in and out whole, held back by a slow consumer', async () => {
    const piece = Buffer.alloc(64 * 1024, 7);
    async function* source(): AsyncGenerator<Uint8Array> {
      for (let i = 0; i < 160; i += 1) yield await Promise.resolve(piece);
    }
    let received = 0;
    const exit = await driver.run(
      shellSpec('cat', { stdin: source(), limits: { outputBytes: 32 * MIB } }),
      {
        async onStdout(chunk) {
          received += chunk.byteLength;
          if (received % 7 === 0) await sleep(1);
        },
      },
    );
    expect([exit.end, received]).toEqual([{ kind: 'exited', code: 0 }, 160 * 64 * 1024]);
  });

  test('the standard streams can be opened by name, as build scripts do', async () => {
    const script = 'cat /dev/stdin > /dev/stdout; echo to stderr > /dev/stderr';
    const exit = await driver.run(shellSpec(script, { stdin: Buffer.from('from stdin') }));
    expect([exit.stdout.text, exit.stderr.text]).toEqual(['from stdin', 'to stderr\n']);
  });

  test('a program without input finds it at its end', async () => {
    const exit = await driver.run(shellSpec('wc -c', { limits: { wallMs: 2_000 } }));
    expect([exit.end, exit.stdout.text.trim()]).toEqual([{ kind: 'exited', code: 0 }, '0']);
  });

  test('a consumer that throws ends the sandbox and the error comes out', async () => {
    const run = driver.run(shellSpec('while :; do echo y; done'), {
      onStdout() {
        throw new Error('enough');
      },
    });
    await expect(run).rejects.toThrow('enough');
  });

  test('a source that breaks ends the sandbox and the error comes out; a program that does not listen is no error', async () => {
    async function* broken(): AsyncGenerator<Uint8Array> {
      yield await Promise.resolve(Buffer.from('x'));
      throw new Error('source broke');
    }
    await expect(driver.run(shellSpec('cat; sleep 5', { stdin: broken() }))).rejects.toThrow(
      'source broke',
    );
    const deaf = await driver.run(shellSpec('exit 0', { stdin: Buffer.alloc(4 * MIB) }));
    expect(deaf.end).toEqual({ kind: 'exited', code: 0 });
    async function* long(): AsyncGenerator<Uint8Array> {
      for (let i = 0; i < 200; i += 1) yield await Promise.resolve(Buffer.alloc(64 * 1024));
    }
    expect((await driver.run(shellSpec('exit 0', { stdin: long() }))).end).toEqual({
      kind: 'exited',
      code: 0,
    });
  });
});

describe('what cannot start', () => {
  test('a missing bubblewrap, a missing mount and a broken specification are each named', async () => {
    const missing = await createBubblewrapDriver({ binary: '/nonexistent/bwrap' }).run(
      shellSpec('true'),
    );
    expect(missing.end).toMatchObject({ kind: 'start_failed', reason: 'driver_missing' });
    const mount = {
      kind: 'bind',
      role: 'tree',
      source: join(directory, 'no'),
      target: '/m',
      access: 'read_only',
    } as const;
    const unmounted = await driver.run(shellSpec('true', { mounts: [mount] }));
    expect(unmounted.end).toMatchObject({ kind: 'start_failed', reason: 'mount_missing' });
    const injected = await driver.run(shellSpec('true', { env: { A: 'x\0--bind\0/\0/host' } }));
    expect(injected.end).toMatchObject({ kind: 'start_failed', reason: 'bad_spec' });
    const nowhere = await driver.run(shellSpec('true', { cwd: '/nowhere' }));
    expect(nowhere.end).toMatchObject({ kind: 'start_failed', reason: 'setup_failed' });
    const twin = await driver.run(shellSpec('true'));
    expect(twin.end).toEqual({ kind: 'exited', code: 0 });
  });
});

async function fetchFrom(listenPort: number): Promise<string> {
  const { connect } = await import('node:net');
  return new Promise((resolve, reject) => {
    const socket = connect(listenPort, '127.0.0.1');
    socket.on('data', (data) => resolve(data.toString()));
    socket.on('error', reject);
  });
}
