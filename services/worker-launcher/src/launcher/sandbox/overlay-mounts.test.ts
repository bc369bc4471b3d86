import { execFileSync } from 'node:child_process';
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { createBubblewrapDriver } from './bubblewrap-driver.ts';
import { detectOverlay } from './detect-overlay.ts';
import type { SandboxMount } from './driver.ts';
import { overlayPrelude } from './overlay-mounts.ts';
import { shellSpec } from './sandbox-fixture.ts';

const root = mkdtempSync(join(tmpdir(), 'overlay test,a:b-'));
afterAll(() => rmSync(root, { recursive: true }));
const driver = createBubblewrapDriver();

function overlay(
  name: string,
  over: Partial<Extract<SandboxMount, { kind: 'overlay' }>> = {},
): SandboxMount {
  for (const layer of ['top', 'bottom']) mkdirSync(join(root, layer), { recursive: true });
  writeFileSync(join(root, 'bottom/a'), 'bottom\n');
  writeFileSync(join(root, 'bottom/b'), 'bottom\n');
  writeFileSync(join(root, 'top/b'), 'top\n');
  return {
    kind: 'overlay',
    role: 'tree',
    layers: [join(root, 'top'), join(root, 'bottom')],
    view: join(root, name),
    target: '/work',
    access: 'read_write',
    ...over,
  };
}

test('layers are seen as one, and only what is changed lies in the view afterwards', async () => {
  const exit = await driver.run(
    shellSpec('cat a b; echo new > c; echo more >> a; rm b', {
      cwd: '/work',
      mounts: [overlay('one')],
    }),
  );
  expect(exit).toMatchObject({
    end: { kind: 'exited', code: 0 },
    stdout: { text: 'bottom\ntop\n' },
  });
  const upper = join(root, 'one/upper');
  expect(readdirSync(upper).toSorted()).toEqual(['a', 'b', 'c']);
  expect(readFileSync(join(upper, 'a'), 'utf8')).toBe('bottom\nmore\n');
  expect(lstatSync(join(upper, 'b'))).toMatchObject({ rdev: 0 });
  expect(lstatSync(join(upper, 'b')).isCharacterDevice()).toBe(true);
  expect(readFileSync(join(root, 'bottom/a'), 'utf8')).toBe('bottom\n');
  expect(readdirSync(join(root, 'one/merged'))).toEqual([]);
});

test('an overlay that may not be written to cannot be', async () => {
  const exit = await driver.run(
    shellSpec('cat b; echo new > c', {
      cwd: '/work',
      mounts: [overlay('two', { access: 'read_only' })],
    }),
  );
  expect(exit.stdout.text).toBe('top\n');
  expect(exit.stderr.text).toMatch(/read-only/i);
});

test('no mount is left on the host, whoever ends the sandbox', async () => {
  const stop = new AbortController();
  const running = driver.run(
    shellSpec('sleep 30', { cwd: '/work', mounts: [overlay('three')], limits: { graceMs: 50 } }),
    { signal: stop.signal },
  );
  setTimeout(() => stop.abort(), 300);
  expect(await running).toMatchObject({ end: { kind: 'stopped' } });
  expect(execFileSync('/usr/bin/cat', ['/proc/self/mounts']).toString()).not.toContain(root);
});

test('a layer that is not there, or whose name would be read as an option, is refused', async () => {
  const missing = overlay('four', { layers: [join(root, 'none')] });
  expect(await driver.run(shellSpec('true', { mounts: [missing] }))).toMatchObject({
    end: { kind: 'start_failed', reason: 'mount_missing' },
  });
  const odd = overlay('four', { layers: [join(root, 'x,upperdir=y')] });
  expect(() => overlayPrelude([odd])).toThrow(expect.objectContaining({ code: 'bad_input' }));
  expect(overlayPrelude([overlay('four')])).toContain('--map-root-user');
});

test('whether overlays work is found out by trying', async () => {
  expect(await detectOverlay(driver, root)).toEqual({ usable: true });
  expect(
    await detectOverlay(createBubblewrapDriver({ binary: '/usr/bin/false' }), root),
  ).toMatchObject({ usable: false });
  expect(readdirSync(root).filter((name) => name.startsWith('probe'))).toEqual([]);
});
