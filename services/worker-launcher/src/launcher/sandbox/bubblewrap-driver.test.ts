import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createBubblewrapDriver } from './bubblewrap-driver.ts';
import { testDriver } from './driver-suite.ts';
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

testDriver(() => ({
  driver,
  slackMs: 1_000,
  missing: join(directory, 'no'),
  place() {
    const source = mkdtempSync(join(directory, 'place-'));
    return Promise.resolve({
      source,
      read: (name) => readFileSync(join(source, name), 'utf8'),
      write: (name, content) => writeFileSync(join(source, name), content),
    });
  },
}));

describe('the walls', () => {
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
});

test('the highest use is reported', async () => {
  const eat = 'const a = Buffer.alloc(104857600, 1); setTimeout(() => console.log(a.length), 700)';
  const exit = await driver.run(shellSpec('', { argv: [nodeInside(), '-e', eat] }));
  expect(exit.end).toEqual({ kind: 'exited', code: 0 });
  expect(exit.peak.memoryBytes).toBeGreaterThan(100 * MIB);
  expect(exit.peak.processes).toBeGreaterThan(1);
});

test('what is written over and over counts each time', async () => {
  const mounts = [
    { kind: 'bind', role: 'm', source: directory, target: '/m', access: 'read_write' },
  ] as const;
  const script = 'i=0; while :; do i=$((i+1)); head -c 1000000 /dev/zero > /m/f$((i%20)); done';
  const exit = await driver.run(shellSpec(script, { mounts, limits: { diskBytes: 40 * MIB } }));
  expect(exit.end).toEqual({ kind: 'disk_limit' });
});

test('a missing bubblewrap and a place that is not there are each named', async () => {
  const missing = await createBubblewrapDriver({ binary: '/nonexistent/bwrap' }).run(
    shellSpec('true'),
  );
  expect(missing.end).toMatchObject({ kind: 'start_failed', reason: 'driver_missing' });
  const nowhere = await driver.run(shellSpec('true', { cwd: '/nowhere' }));
  expect(nowhere.end).toMatchObject({ kind: 'start_failed', reason: 'setup_failed' });
  expect((await driver.run(shellSpec('true'))).end).toEqual({ kind: 'exited', code: 0 });
});

async function fetchFrom(listenPort: number): Promise<string> {
  const { connect } = await import('node:net');
  return new Promise((resolve, reject) => {
    const socket = connect(listenPort, '127.0.0.1');
    socket.on('data', (data) => resolve(data.toString()));
    socket.on('error', reject);
  });
}
