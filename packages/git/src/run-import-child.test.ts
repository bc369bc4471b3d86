/** The import as the importer runs it: a real child, real git, a sandbox where this host has one. */
import { mkdir, mkdtemp, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { sweepWorkRoot } from './base-store-cache.ts';
import { findChildRuntime, prepareChildRuntime, type ChildRuntime } from './child-runtime.ts';
import { DEFAULT_IMPORT_LIMITS } from './import-limits.ts';
import { detectIsolation, type Isolation } from './isolation.ts';
import {
  importInChild,
  type ChildImportRequest,
  type ChildImportResult,
} from './run-import-child.ts';
import {
  benignBundle,
  BRANCH_REF,
  FIXTURE,
  fixtureBasePack,
} from './testing/fixture-repository.ts';
import { BOMB_FAMILY } from './testing/hostile/bomb-family.ts';
import { HISTORY_FAMILY } from './testing/hostile/history-family.ts';
import { watchMemory } from './testing/watch-memory.ts';

const NO_SANDBOX: Isolation = { kind: 'none', reason: 'this test does without' };
const BASE_STORE = /^base-[0-9a-f]{64}$/;

// Real processes on a machine that may be busy with others.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

let root: string;
let workRoot: string;
let isolation: Isolation;
let runtime: ChildRuntime;
const twin = benignBundle();

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'sallyport-git-'));
  isolation = await detectIsolation();
  runtime = await prepareChildRuntime(join(root, 'runtime'));
});
afterAll(() => rm(root, { recursive: true, force: true }));
beforeEach(async () => {
  workRoot = await mkdtemp(join(root, 'work-'));
});

function importBytes(
  bundle: Uint8Array,
  more: Partial<ChildImportRequest> = {},
): Promise<ChildImportResult> {
  return importInChild({
    basePack: fixtureBasePack(),
    bundle,
    expected: { ref: BRANCH_REF, base: FIXTURE.start.oid },
    limits: DEFAULT_IMPORT_LIMITS,
    isolation,
    workRoot,
    runtime,
    ...more,
  });
}

describe('importing in a child', () => {
  it('gives facts, contents, the clean pack and the paths of the start commit', async () => {
    const result = await importBytes(twin.bytes);
    expect(result).toMatchObject({
      ok: true,
      facts: { headOid: twin.head.oid, headTree: twin.root.oid },
      basePaths: ['README.md', 'src/main.js', 'src/main.test.js'],
    });
    if (!result.ok) return;
    expect(Buffer.from(result.contents.get(twin.added.oid) ?? []).toString()).toBe('more\n');
    expect(Buffer.from(result.cleanPack.subarray(0, 4)).toString()).toBe('PACK');
  });

  it('does the same without a sandbox, and from source', async () => {
    const inside = await importBytes(twin.bytes);
    expect(await importBytes(twin.bytes, { isolation: NO_SANDBOX })).toEqual(inside);
    expect(await importBytes(twin.bytes, { runtime: findChildRuntime() })).toEqual(inside);
  });

  it('reads the source pack once, for all imports on its start commit', async () => {
    let reads = 0;
    const basePack = fixtureBasePack();
    const counted = {
      ...basePack,
      read: () => {
        reads += 1;
        return basePack.read();
      },
    };
    await importBytes(twin.bytes, { basePack: counted });
    await importBytes(twin.bytes, { basePack: counted });
    expect(reads).toBe(1);
    expect(await readdir(workRoot)).toEqual([expect.stringMatching(BASE_STORE)]);
  });

  it('lets two import at once, also when neither finds a base store', async () => {
    const [one, two] = await Promise.all([importBytes(twin.bytes), importBytes(twin.bytes)]);
    expect(one).toEqual(two);
    expect(one.ok).toBe(true);
    expect(await readdir(workRoot)).toEqual([expect.stringMatching(BASE_STORE)]);
  });

  it.each([...BOMB_FAMILY.slice(0, 3), ...HISTORY_FAMILY.slice(0, 1)])(
    'refuses $name with $reason within its memory and leaves nothing behind',
    async ({ make, reason }) => {
      const memory = watchMemory();
      const result = await importBytes(make());
      expect(memory.stop()).toBeLessThan(512 * 1_048_576);
      expect(result).toMatchObject({ ok: false, reason });
      expect(await readdir(workRoot)).toEqual([expect.stringMatching(BASE_STORE)]);
    },
  );

  it('ends a child that takes too long, and leaves nothing behind', async () => {
    await importBytes(twin.bytes);
    const stuck = join(root, 'stuck.mjs');
    await writeFile(stuck, 'setInterval(() => undefined, 1_000);\n');
    const result = await importBytes(twin.bytes, {
      runtime: { ...runtime, script: stuck, readOnly: [...runtime.readOnly, { path: stuck }] },
      limits: { ...DEFAULT_IMPORT_LIMITS, wallMs: 500 },
    });
    expect(result).toMatchObject({ ok: false, reason: 'time_limit' });
    expect(await readdir(workRoot)).toEqual([expect.stringMatching(BASE_STORE)]);
  });

  it.each([
    ['dies', 'process.kill(process.pid, "SIGKILL");\n', 'child_died'],
    ['says nothing', 'process.exit(0);\n', 'child_died'],
  ])('says so when the child %s', async (_, program, reason) => {
    await importBytes(twin.bytes);
    const script = join(root, `${reason}-${program.length}.mjs`);
    await writeFile(script, program);
    const broken = { ...runtime, script, readOnly: [...runtime.readOnly, { path: script }] };
    expect(await importBytes(twin.bytes, { runtime: broken })).toMatchObject({ ok: false, reason });
    expect(await importBytes(twin.bytes)).toMatchObject({ ok: true });
  });

  it.each([
    ['facts of another shape', '{"kind":"imported","facts":{"v":1},"contents":[],"packBytes":0}'],
    ['a length that is not so', '{"kind":"imported","facts":FACTS,"contents":[],"packBytes":7}'],
    ['no JSON', 'hello'],
    ['an unknown reason', '{"kind":"refused","reason":"because","message":"x"}'],
  ])('does not take %s for an answer', async (_, line) => {
    const good = await importBytes(twin.bytes);
    const facts = good.ok ? JSON.stringify(good.facts) : '';
    const script = join(root, `lying-${line.length}.mjs`);
    await writeFile(
      script,
      `process.stdout.write(${JSON.stringify(`${line.replace('FACTS', facts)}\n`)});\n`,
    );
    const lying = { ...runtime, script, readOnly: [...runtime.readOnly, { path: script }] };
    await expect(importBytes(twin.bytes, { runtime: lying })).rejects.toMatchObject({
      name: 'AppError',
    });
    expect(await readdir(workRoot)).toEqual([expect.stringMatching(BASE_STORE)]);
  });

  it('throws when the source pack is not what was announced, and keeps no store of it', async () => {
    const lacking = fixtureBasePack([FIXTURE.readme]);
    await expect(importBytes(twin.bytes, { basePack: lacking })).rejects.toMatchObject({
      code: 'bad_input',
    });
    const short = { ...fixtureBasePack(), bytes: 1_000_000 };
    await expect(importBytes(twin.bytes, { basePack: short })).rejects.toMatchObject({
      name: 'AppError',
    });
    expect(await readdir(workRoot)).toEqual([]);
    expect(await importBytes(twin.bytes)).toMatchObject({ ok: true });
  });
});

describe('a poisoned machine', () => {
  it('changes nothing: configuration, environment and hooks are not looked at', async () => {
    const clean = await importBytes(twin.bytes);
    const home = await mkdtemp(join(root, 'home-'));
    const mark = join(root, 'poisoned');
    const hook = join(home, 'hook');
    await writeFile(hook, `#!/bin/sh\ntouch ${mark}\nexit 1\n`, { mode: 0o755 });
    for (const dir of ['hooks', 'templates/hooks'])
      await mkdir(join(home, dir), { recursive: true });
    for (const name of ['hooks/reference-transaction', 'templates/hooks/reference-transaction']) {
      await writeFile(join(home, name), `#!/bin/sh\ntouch ${mark}\n`, { mode: 0o755 });
    }
    const config = join(home, '.gitconfig');
    await writeFile(
      config,
      `[core]\n fsmonitor = ${hook}\n hooksPath = ${home}/hooks\n alternateRefsCommand = ${hook}\n` +
        `[init]\n templateDir = ${home}/templates\n[diff]\n external = ${hook}\n[alias]\n diff-tree = !${hook}\n`,
    );
    const poison = {
      HOME: home,
      XDG_CONFIG_HOME: home,
      GIT_CONFIG_GLOBAL: config,
      GIT_CONFIG_SYSTEM: config,
      GIT_DIR: join(home, 'nowhere'),
      GIT_OBJECT_DIRECTORY: join(home, 'nowhere'),
      GIT_TEMPLATE_DIR: join(home, 'templates'),
      GIT_EXTERNAL_DIFF: hook,
      GIT_EXEC_PATH: home,
      GIT_CONFIG_COUNT: '1',
      GIT_CONFIG_KEY_0: 'core.fsmonitor',
      GIT_CONFIG_VALUE_0: hook,
      GIT_TRACE: join(root, 'trace'),
      NODE_OPTIONS: '--this-is-no-option',
      LD_PRELOAD: join(home, 'nothing.so'),
    };
    const before = { ...process.env };
    Object.assign(process.env, poison);
    try {
      expect(await importBytes(twin.bytes, { isolation: NO_SANDBOX })).toEqual(clean);
    } finally {
      for (const name of Object.keys(poison)) delete process.env[name];
      Object.assign(process.env, before);
    }
    expect(await readdir(root)).not.toContain('poisoned');
    expect(await readdir(root)).not.toContain('trace');
  });
});

describe('the sandbox', () => {
  it('shows the child no other file, no network and no other process, or says that there is none', async () => {
    await importBytes(twin.bytes);
    const key = join(root, 'app-key.pem');
    await writeFile(key, 'the key');
    const script = join(root, 'spy.mjs');
    await writeFile(
      script,
      `import fs from 'node:fs'; import os from 'node:os';
       const found = [];
       try { fs.readFileSync(${JSON.stringify(key)}); found.push('key'); } catch {}
       try { fs.writeFileSync('/work-root-write', 'x'); fs.writeFileSync('/usr/x', 'x'); found.push('write'); } catch {}
       try { fs.readFileSync('/etc/passwd'); found.push('passwd'); } catch {}
       if (Object.keys(os.networkInterfaces()).some((n) => n !== 'lo')) found.push('network');
       if (fs.readdirSync('/proc').filter((n) => /^[0-9]+$/.test(n)).length > 4) found.push('processes');
       if (process.env.SECRET !== undefined) found.push('environment');
       process.stdout.write(JSON.stringify({ kind: 'refused', reason: 'pack_refused', message: 'found: ' + found }) + '\\n');\n`,
    );
    process.env['SECRET'] = 'x';
    const spy = { ...runtime, script, readOnly: [...runtime.readOnly, { path: script }] };
    const inside = await importBytes(twin.bytes, { runtime: spy });
    const outside = await importBytes(twin.bytes, { runtime: spy, isolation: NO_SANDBOX });
    delete process.env['SECRET'];
    const hidden = isolation.kind === 'bubblewrap' ? /^found: $/ : /key/;
    expect(inside).toMatchObject({ message: expect.stringMatching(hidden) });
    expect(outside).toMatchObject({ message: expect.stringContaining('key') });
  });
});

describe('sweeping the work root', () => {
  it('removes what is left over from killed processes once it is old, and nothing younger', async () => {
    const names = ['quarantine-old', 'building-old', 'quarantine-new', 'base-x', 'something-else'];
    for (const name of names) await mkdir(join(workRoot, name));
    const now = Date.now();
    const old = new Date(now - 2 * 3_600_000);
    for (const name of names.filter((n) => !n.endsWith('new')))
      await utimes(join(workRoot, name), old, old);
    await sweepWorkRoot(workRoot, now);
    expect((await readdir(workRoot)).toSorted()).toEqual([
      'base-x',
      'quarantine-new',
      'something-else',
    ]);
  });

  it('keeps the eight base stores that were used last', async () => {
    const now = Date.now();
    for (let i = 0; i < 10; i += 1) {
      const dir = join(workRoot, `base-${i}`);
      const used = new Date(now - (i + 2) * 3_600_000);
      await mkdir(dir);
      await utimes(dir, used, used);
    }
    await sweepWorkRoot(workRoot, now);
    expect((await readdir(workRoot)).length).toBe(8);
    await expect(stat(join(workRoot, 'base-9'))).rejects.toMatchObject({ code: 'ENOENT' });
    await expect(stat(join(workRoot, 'base-0'))).resolves.toBeDefined();
  });
});
