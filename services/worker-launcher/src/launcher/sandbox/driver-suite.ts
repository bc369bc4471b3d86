/**
 * What holds of every driver, whatever its wall is built of: the ends that a sandbox can come to, its limits, its streams.
 * Called by the tests of each driver with what differs between them.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { SandboxDriver, SandboxSpec } from './driver.ts';
import { MIB, shellSpec } from './sandbox-fixture.ts';

export interface SuitePlace {
  /** A directory that can be mounted, as the launcher names it. */
  source: string;
  read(name: string): string;
  write(name: string, content: string): void;
}

export interface SuiteRig {
  driver: SandboxDriver;
  /** An empty directory that the sandbox's user may write. */
  place(): Promise<SuitePlace>;
  /** A directory that could be mounted and is not there. */
  missing: string;
  /** How long a start and an end may take beside what the program does. */
  slackMs: number;
}

/** Defines the tests; `rig` gives the same rig at every call. */
export function testDriver(rig: () => SuiteRig): void {
  const run: SandboxDriver['run'] = (spec, hooks) => rig().driver.run(spec, hooks);
  const slack = (): number => rig().slackMs;

  describe('the ends', () => {
    test('a program that exits is reported with its code and what it printed', async () => {
      const exit = await run(shellSpec('echo out; echo err >&2; exit 3'));
      expect(exit.end).toEqual({ kind: 'exited', code: 3 });
      expect(exit.stdout).toEqual({ text: 'out\n', totalBytes: 4, truncated: false });
      expect(exit.stderr.text).toBe('err\n');
    });

    test('a program killed by a signal of its own is told apart', async () => {
      const exit = await run(shellSpec('kill -SEGV $$'));
      expect(exit.end).toEqual({ kind: 'signalled', signal: 'SIGSEGV' });
    });

    test('the environment is what the specification says and nothing else', async () => {
      const env = { PATH: '/usr/bin:/bin', ONLY: 'this' };
      const exit = await run(shellSpec('', { argv: ['/usr/bin/env'], env }));
      const lines = exit.stdout.text
        .trim()
        .split('\n')
        .filter((line) => !/^(PWD|HOME|HOSTNAME)=/.test(line));
      expect(lines.toSorted()).toEqual(['ONLY=this', 'PATH=/usr/bin:/bin']);
    });

    test('what is mounted read-only cannot be written, and what is mounted writable can', async () => {
      const place = await rig().place();
      place.write('given', 'as it was');
      const write = shellSpec('echo changed > /m/given');
      const mount = { kind: 'bind', role: 'm', source: place.source, target: '/m' } as const;
      const refused = await run({ ...write, mounts: [{ ...mount, access: 'read_only' }] });
      expect(refused.end).not.toEqual({ kind: 'exited', code: 0 });
      expect(place.read('given')).toBe('as it was');
      const again = shellSpec('echo changed > /m/given');
      const allowed = await run({ ...again, mounts: [{ ...mount, access: 'read_write' }] });
      expect(allowed.end).toEqual({ kind: 'exited', code: 0 });
      expect(place.read('given')).toBe('changed\n');
    });

    test('the root, /usr and /etc cannot be written, scratch space can', async () => {
      const script =
        'for d in / /usr /etc /home; do touch $d/x 2>/dev/null && echo wrote $d; done; touch /tmp/x /run/x /home/agent/x /dev/shm/x && echo scratch';
      expect((await run(shellSpec(script))).stdout.text).toBe('scratch\n');
    });

    test('node runs inside, at the place that the driver names', async () => {
      const exit = await run(shellSpec('', { argv: [rig().driver.node, '-p', '6*7'] }));
      expect(exit.stdout.text).toBe('42\n');
    });
  });

  describe('the limits', { timeout: 120_000 }, () => {
    test('a program that runs too long is ended, also when it ignores the polite signal', async () => {
      const limits = { wallMs: 300 };
      const exit = await run(shellSpec("trap '' TERM; while :; do sleep 1; done", { limits }));
      expect(exit.end).toEqual({ kind: 'timed_out' });
      expect(exit.durationMs).toBeLessThan(1_000 + slack());
      const twin = await run(shellSpec('sleep 0.1', { limits: { wallMs: 2_000 + slack() } }));
      expect(twin.end).toEqual({ kind: 'exited', code: 0 });
    });

    test('a program that heeds the polite signal may still finish what it was at', async () => {
      const script = "trap 'echo saved; exit 0' TERM; while :; do sleep 0.05; done";
      const exit = await run(shellSpec(script, { limits: { wallMs: 1_000, graceMs: 3_000 } }));
      expect(exit.end).toEqual({ kind: 'timed_out' });
      expect(exit.stdout.text).toBe('saved\n');
      expect(exit.durationMs).toBeLessThan(1_200 + slack());
    });

    test('the caller can stop it, and what is stopped before it begins never runs', async () => {
      const stop = new AbortController();
      const running = run(shellSpec('echo begun; sleep 30'), {
        signal: stop.signal,
        onStdout: () => stop.abort(),
      });
      const exit = await running;
      expect(exit.end).toEqual({ kind: 'stopped' });
      expect(exit.durationMs).toBeLessThan(1_000 + slack());
      const never = await run(shellSpec('echo ran'), { signal: stop.signal });
      expect([never.end, never.stdout.totalBytes]).toEqual([{ kind: 'stopped' }, 0]);
    });

    test('a flood of 200 MB is cut off at the limit, in constant memory', async () => {
      const before = process.memoryUsage().rss;
      const exit = await run(
        shellSpec('head -c 200000000 /dev/zero', { limits: { outputBytes: 20 * MIB } }),
      );
      expect(exit.end).toEqual({ kind: 'output_limit' });
      expect(exit.stdout.totalBytes).toBeLessThan(24 * MIB);
      expect(exit.stdout.truncated).toBe(true);
      const whole = await run(
        shellSpec('head -c 200000000 /dev/zero', { limits: { outputBytes: 300 * MIB } }),
      );
      expect([whole.end, whole.stdout.totalBytes]).toEqual([
        { kind: 'exited', code: 0 },
        200_000_000,
      ]);
      expect(whole.stdout.text).toMatch(/^\[199934464 bytes before this were dropped\]\n/);
      expect(process.memoryUsage().rss - before).toBeLessThan(80 * MIB);
    });

    test('memory over the limit ends the sandbox, memory under it does not', async () => {
      const eat = (mib: number): SandboxSpec => {
        const script = `const a = Buffer.alloc(${mib} * 1048576, 1); setTimeout(() => console.log(a.length), 700)`;
        const argv = [rig().driver.node, '-e', script] as const;
        return shellSpec('', { argv, limits: { memoryBytes: 300 * MIB } });
      };
      expect((await run(eat(600))).end).toEqual({ kind: 'memory_limit' });
      expect((await run(eat(100))).end).toEqual({ kind: 'exited', code: 0 });
      const child = `${rig().driver.node} -e 'Buffer.alloc(600 * 1048576, 1)'; exit 0`;
      const survived = await run(shellSpec(child, { limits: { memoryBytes: 300 * MIB } }));
      expect(survived.end).toEqual({ kind: 'memory_limit' });
    });

    test('scratch space in memory is bounded', async () => {
      const limits = { memoryBytes: 64 * MIB };
      const exit = await run(shellSpec('head -c 40000000 /dev/zero > /tmp/x', { limits }));
      expect(exit.stderr.text).toContain('No space left');
      const twin = await run(shellSpec('head -c 20000000 /dev/zero > /tmp/x', { limits }));
      expect(twin.end).toEqual({ kind: 'exited', code: 0 });
    });

    test('a fork bomb is contained and leaves nothing', async () => {
      const bomb =
        'b() { [ $1 -gt 0 ] && { b $(($1 - 1)) | b $(($1 - 1)) & }; }; b 9; sleep 3; echo survived';
      const limits = { processes: 60 };
      const exit = await run(
        shellSpec('', { argv: ['/bin/bash', '-c', bomb], limits: { ...limits, wallMs: 2_500 } }),
      );
      expect(['process_limit', 'timed_out']).toContain(exit.end.kind);
      const twin = await run(shellSpec('sleep 0.3 & sleep 0.3 & wait; echo survived', { limits }));
      expect(twin.stdout.text).toBe('survived\n');
    });

    test('one file and the sum of all files are bounded', async () => {
      const { source } = await rig().place();
      const mounts = [
        { kind: 'bind', role: 'm', source, target: '/m', access: 'read_write' },
      ] as const;
      const fileBytes = 2 * MIB;
      const one = await run(
        shellSpec('head -c 3000000 /dev/zero > /m/big', { mounts, limits: { fileBytes } }),
      );
      expect(one.end).not.toEqual({ kind: 'exited', code: 0 });
      const script =
        'i=0; while [ $i -lt 80 ]; do i=$((i+1)); head -c 1000000 /dev/zero > /m/f$i; done; sleep 10';
      const all = await run(
        shellSpec(script, { mounts, limits: { fileBytes, diskBytes: 40 * MIB } }),
      );
      expect(all.end).toEqual({ kind: 'disk_limit' });
      const twin = await run(
        shellSpec('head -c 1000000 /dev/zero > /m/f', { mounts, limits: { fileBytes } }),
      );
      expect(twin.end).toEqual({ kind: 'exited', code: 0 });
    });

    test('a process that detached itself ends with the sandbox, before run() returns', async () => {
      const place = await rig().place();
      const mounts = [
        { kind: 'bind', role: 'm', source: place.source, target: '/m', access: 'read_write' },
      ] as const;
      const script =
        'setsid sh -c "trap \'\' HUP TERM; while :; do date +%N > /m/beat; sleep 0.02; done" & sleep 0.2; exit 0';
      const exit = await run(shellSpec(script, { mounts }));
      expect(exit.end).toEqual({ kind: 'exited', code: 0 });
      const last = place.read('beat');
      await sleep(150);
      expect(place.read('beat')).toBe(last);
    });
  });

  describe('bytes', { timeout: 60_000 }, () => {
    test('streams go in and out whole, held back by a slow consumer', async () => {
      const piece = Buffer.alloc(64 * 1024, 7);
      async function* source(): AsyncGenerator<Uint8Array> {
        for (let i = 0; i < 160; i += 1) yield await Promise.resolve(piece);
      }
      let received = 0;
      const exit = await run(
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

    test('what was printed last is not lost on a program that ends while its input still comes', async () => {
      async function* source(): AsyncGenerator<Uint8Array> {
        for (let i = 0; i < 400; i += 1) yield await Promise.resolve(Buffer.alloc(64 * 1024));
      }
      let received = 0;
      const exit = await run(shellSpec('head -c 3000000 /dev/zero', { stdin: source() }), {
        async onStdout(chunk) {
          received += chunk.byteLength;
          await sleep(5);
        },
      });
      expect([exit.end, received]).toEqual([{ kind: 'exited', code: 0 }, 3_000_000]);
    });

    test('the standard streams can be opened by name, as build scripts do', async () => {
      const script = 'cat /dev/stdin > /dev/stdout; echo to stderr > /dev/stderr';
      const exit = await run(shellSpec(script, { stdin: Buffer.from('from stdin') }));
      expect([exit.stdout.text, exit.stderr.text]).toEqual(['from stdin', 'to stderr\n']);
    });

    test('a program without input finds it at its end', async () => {
      const exit = await run(shellSpec('wc -c', { limits: { wallMs: 5_000 } }));
      expect([exit.end, exit.stdout.text.trim()]).toEqual([{ kind: 'exited', code: 0 }, '0']);
    });

    test('a consumer that throws ends the sandbox and the error comes out', async () => {
      const running = run(shellSpec('while :; do echo y; done'), {
        onStdout() {
          throw new Error('enough');
        },
      });
      await expect(running).rejects.toThrow('enough');
    });

    test('a source that breaks ends the sandbox and the error comes out; a program that does not listen is no error', async () => {
      async function* broken(): AsyncGenerator<Uint8Array> {
        yield await Promise.resolve(Buffer.from('x'));
        throw new Error('source broke');
      }
      await expect(run(shellSpec('cat; sleep 5', { stdin: broken() }))).rejects.toThrow(
        'source broke',
      );
      const deaf = await run(shellSpec('exit 0', { stdin: Buffer.alloc(4 * MIB) }));
      expect(deaf.end).toEqual({ kind: 'exited', code: 0 });
    });
  });

  describe('what cannot start', () => {
    test('a missing mount and a broken specification are each named', async () => {
      const mount = { kind: 'bind', role: 'tree', target: '/m', access: 'read_only' } as const;
      const unmounted = await run(
        shellSpec('true', { mounts: [{ ...mount, source: rig().missing }] }),
      );
      expect(unmounted.end).toMatchObject({ kind: 'start_failed', reason: 'mount_missing' });
      const injected = await run(shellSpec('true', { env: { A: 'x\0--bind\0/\0/host' } }));
      expect(injected.end).toMatchObject({ kind: 'start_failed', reason: 'bad_spec' });
      const twin = await run(shellSpec('true'));
      expect(twin.end).toEqual({ kind: 'exited', code: 0 });
    });
  });
}
