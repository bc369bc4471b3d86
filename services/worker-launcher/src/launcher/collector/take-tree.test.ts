import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  statSync,
  writeFileSync,
  appendFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  git,
  makeRepository,
  makeStateRoot,
  startRun,
  writeFiles,
  type TestRun,
} from './collector-fixture.ts';
import { stepDirectories } from './layout.ts';
import type { TakenTree } from './take-tree.ts';

const state = makeStateRoot();
let run: TestRun;
let counter = 0;

const CRLF = 'one\r\ntwo\r\n';
const GITLINK = '1234567890123456789012345678901234567890';
const LFS = 'version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n';

beforeAll(async () => {
  const repository = makeRepository(
    state.root,
    {
      'a.txt': 'a\n',
      'crlf.txt': CRLF,
      'ident.txt': '$Id$\n',
      'utf16.txt': Buffer.from('\ufeffhi\n', 'utf16le'),
      'big.bin': LFS,
      'run.sh': '#!/bin/sh\n',
      'dir/one': '1\n',
      'dir/two': '2\n',
      'other/one': 'other 1\n',
      'deep/er/.gitignore': '*.tmp\n!keep.tmp\n',
      'kept/in-ignored': 'tracked although ignored\n',
      '.gitignore': 'build/\n*.log\n/kept\nnode_modules/\n',
      '.gitattributes':
        '* text=auto\n*.txt eol=crlf\nident.txt ident\nutf16.txt working-tree-encoding=UTF-16\n*.bin filter=lfs diff=lfs merge=lfs -text\n',
    },
    (directory) => {
      chmodSync(join(directory, 'run.sh'), 0o755);
      symlinkSync('a.txt', join(directory, 'link'));
      git(directory, ['update-index', '--add', '--cacheinfo', `160000,${GITLINK},module`]);
      mkdirSync(join(directory, 'module'));
    },
  );
  run = await startRun(state.root, repository);
});
afterAll(state.remove);

async function step(change: (tree: string) => void): Promise<TakenTree & { kind: 'taken' }> {
  counter += 1;
  const key = `step-${counter}`;
  change(await run.layOut(key));
  const taken = await run.take(key);
  if (taken.kind !== 'taken') throw new Error(taken.message);
  return taken;
}
function statuses(taken: TakenTree & { kind: 'taken' }): string[] {
  return taken.changes.map((c) => `${c.status} ${c.path}`);
}
function blob(taken: TakenTree & { kind: 'taken' }, path: string): Buffer {
  const env = {
    PATH: '/usr/bin',
    GIT_DIR: join(run.run, 'store.git'),
    GIT_ALTERNATE_OBJECT_DIRECTORIES: join(run.mirror, 'objects'),
  };
  return execFileSync('/usr/bin/git', ['cat-file', 'blob', `${taken.tree}:${path}`], {
    env,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
}

const MODES = ['copied', 'layered'] as const;
describe.each(MODES)('%s:', (mode) => {
  beforeAll(() => {
    run.layered = mode === 'layered';
  });

  describe('a tree laid out', () => {
    test('has the bytes, links and modes of the commit, whatever its attributes ask for', async () => {
      const tree = await run.layOut(`laid-out-${mode}`);
      expect(readFileSync(join(tree, 'crlf.txt'), 'latin1')).toBe(CRLF);
      expect(readFileSync(join(tree, 'a.txt'), 'latin1')).toBe('a\n');
      expect(readFileSync(join(tree, 'ident.txt'), 'latin1')).toBe('$Id$\n');
      expect(readFileSync(join(tree, 'utf16.txt'))).toEqual(Buffer.from('\ufeffhi\n', 'utf16le'));
      expect(readFileSync(join(tree, 'big.bin'), 'latin1')).toBe(LFS);
      expect(statSync(join(tree, 'run.sh')).mode & 0o111).not.toBe(0);
      expect(statSync(join(tree, 'a.txt')).mode & 0o111).toBe(0);
      expect(execFileSync('readlink', [join(tree, 'link')]).toString()).toBe('a.txt\n');
      expect(await run.take(`laid-out-${mode}`)).toMatchObject({ changeCount: 0 });
    });

    test('that nobody touched is taken as the same tree, also when only its times changed', async () => {
      const given = await step(() => undefined);
      expect([given.changeCount, given.skippedCount]).toEqual([0, 0]);
      const touched = await step((tree) => {
        const now = new Date();
        for (const name of ['a.txt', 'crlf.txt', 'utf16.txt', 'dir/one'])
          utimesSync(join(tree, name), now, now);
      });
      expect([touched.tree, touched.commit]).toEqual([given.tree, given.commit]);
    });
  });

  describe('a change', () => {
    test('is found in content, mode, kind and presence, with its lines counted', async () => {
      const taken = await step((tree) => {
        writeFileSync(join(tree, 'a.txt'), 'a\nb\n');
        chmodSync(join(tree, 'crlf.txt'), 0o755);
        rmSync(join(tree, 'ident.txt'));
        symlinkSync('/etc/passwd', join(tree, 'ident.txt'));
        rmSync(join(tree, 'dir'), { recursive: true });
        writeFiles(tree, { 'new/file': 'x\n' });
      });
      expect(statuses(taken)).toEqual([
        'M a.txt',
        'M crlf.txt',
        'D dir/one',
        'D dir/two',
        'T ident.txt',
        'A new/file',
      ]);
      expect(taken.changes[0]).toMatchObject({
        added: 1,
        removed: 0,
        oldMode: '100644',
        newMode: '100644',
      });
      expect(taken.changes[1]).toMatchObject({ newMode: '100755' });
      expect(taken.changes[4]).toMatchObject({ newMode: '120000' });
      expect(blob(taken, 'ident.txt').toString()).toBe('/etc/passwd');
      expect([taken.linesAdded, taken.linesRemoved]).toEqual([3, 3]);
    });

    test('of the same size with its times set back is found all the same', async () => {
      const taken = await step((tree) => {
        const before = statSync(join(tree, 'a.txt'));
        writeFileSync(join(tree, 'a.txt'), 'b\n');
        utimesSync(join(tree, 'a.txt'), before.atime, before.mtime);
      });
      expect(statuses(taken)).toEqual(['M a.txt']);
    });

    test('by exchanging two directories, in which no file was written, is found', async () => {
      const taken = await step((tree) => {
        // Of a layer's directory the kernel makes no other name by itself; mv then copies.
        execFileSync('/usr/bin/mv', ['dir', 'x'], { cwd: tree });
        execFileSync('/usr/bin/mv', ['other', 'dir'], { cwd: tree });
        execFileSync('/usr/bin/mv', ['x', 'other'], { cwd: tree });
      });
      expect(statuses(taken)).toEqual(['M dir/one', 'D dir/two', 'M other/one', 'A other/two']);
    });

    test('of a directory into a file, and of a file into a directory, is stored', async () => {
      const taken = await step((tree) => {
        rmSync(join(tree, 'dir'), { recursive: true });
        writeFileSync(join(tree, 'dir'), 'now a file\n');
        rmSync(join(tree, 'a.txt'));
        writeFiles(tree, { 'a.txt/inside': 'now a directory\n' });
      });
      expect(statuses(taken)).toEqual([
        'D a.txt',
        'A a.txt/inside',
        'A dir',
        'D dir/one',
        'D dir/two',
      ]);
    });

    test('is stored byte for byte: line ends, identifiers, pointers, bytes that are no text', async () => {
      const wild = Buffer.from([0, 255, 13, 10, 0, 13]);
      const taken = await step((tree) => {
        writeFiles(tree, {
          'crlf.txt': 'x\r\ny\n',
          'new.txt': 'a\r\nb\n',
          'ident.txt': '$Id: 1 $\n',
          'big.bin': wild,
        });
        writeFiles(tree, { '.gitattributes': '* text eol=lf\n*.bin filter=canary\n' });
      });
      expect(blob(taken, 'crlf.txt').toString()).toBe('x\r\ny\n');
      expect(blob(taken, 'new.txt').toString()).toBe('a\r\nb\n');
      expect(blob(taken, 'ident.txt').toString()).toBe('$Id: 1 $\n');
      expect(blob(taken, 'big.bin')).toEqual(wild);
      expect(taken.changes.find((c) => c.path === 'big.bin')).toMatchObject({
        added: null,
        removed: null,
      });
    });

    test('under a name in no encoding, with a newline or a carriage return at its end, is stored under that name', async () => {
      const taken = await step((tree) => {
        writeFileSync(Buffer.concat([Buffer.from(`${tree}/`), Buffer.from([0x66, 0xff])]), 'bytes');
        for (const name of ['new\nline', 'return\r', '"quoted"', ':(top)x', '-n', ' '])
          writeFileSync(join(tree, name), name);
      });
      const names = taken.changes.map((c) => c.path).toSorted();
      expect(names).toEqual([' ', '"quoted"', '-n', ':(top)x', 'f\\xff', 'new\nline', 'return\r']);
      expect(blob(taken, 'return\r').toString()).toBe('return\r');
      expect(blob(taken, 'new\nline').toString()).toBe('new\nline');
    });

    test('that its author made unreadable for himself is stored too', async () => {
      const taken = await step((tree) => {
        writeFiles(tree, { 'locked/file': 'inside\n', 'a.txt': 'locked\n' });
        chmodSync(join(tree, 'a.txt'), 0o000);
        chmodSync(join(tree, 'locked'), 0o000);
      });
      expect(statuses(taken)).toEqual(['M a.txt', 'A locked/file']);
    });
  });

  describe('what is ignored', () => {
    test('is decided by the rules that the step was given, not by those that it wrote', async () => {
      const taken = await step((tree) => {
        writeFiles(tree, {
          '.gitignore': '*\n',
          'new.txt': 'n\n',
          'sub/.gitignore': '*\n',
          'sub/new.txt': 'n\n',
        });
        writeFiles(tree, {
          'x.log': 'l',
          'build/out': 'o',
          'sub/build/out': 'o',
          'deep/er/a.tmp': 't',
          'deep/er/keep.tmp': 'k',
        });
        rmSync(join(tree, 'deep/er/.gitignore'));
      });
      expect(statuses(taken)).toEqual([
        'M .gitignore',
        'D deep/er/.gitignore',
        'A deep/er/keep.tmp',
        'A new.txt',
        'A sub/.gitignore',
        'A sub/new.txt',
      ]);
      expect(taken.ignoredCount).toBe(4);
    });

    test('is still followed where it is tracked', async () => {
      const taken = await step((tree) =>
        writeFiles(tree, { 'kept/in-ignored': 'changed\n', 'kept/new': 'n\n' }),
      );
      expect(statuses(taken)).toEqual(['M kept/in-ignored']);
    });

    test('holds for directories alone when the rule ends in a slash', async () => {
      const taken = await step((tree) =>
        writeFiles(tree, { build: 'a file\n', 'node_modules/a/b.js': 'x' }),
      );
      expect(statuses(taken)).toEqual(['A build']);
    });
  });

  describe('what is no work', () => {
    test('is left out and named: pipes, sockets, git directories of nested repositories', async () => {
      const taken = await step((tree) => {
        execFileSync('mkfifo', [join(tree, 'pipe')]);
        runNode(
          'require("net").createServer().listen(process.argv[1], () => process.kill(process.pid, "SIGKILL"))',
          join(tree, 's'),
        );
        writeFiles(tree, { 'nested/.git/HEAD': 'ref: refs/heads/main\n' });
        writeFiles(tree, { 'nested/file': 'plain\n', 'GIT~1/x': 'x', 'q/.Git/x': 'x' });
        writeFiles(tree, { 'module/inside': 'x' });
      });
      expect(statuses(taken)).toEqual(['A nested/file']);
      expect(taken.skipped.map((s) => `${s.reason} ${s.path}`).toSorted()).toEqual([
        'fifo pipe',
        'git_directory GIT~1',
        'git_directory nested/.git',
        'git_directory q/.Git',
        'inside_gitlink module',
        'socket s',
      ]);
    });

    test('is not reached through links: a link to a directory is a link', async () => {
      const taken = await step((tree) => {
        rmSync(join(tree, 'dir'), { recursive: true });
        symlinkSync('/etc', join(tree, 'dir'));
        symlinkSync('loop', join(tree, 'loop'));
      });
      expect(statuses(taken)).toEqual(['A dir', 'D dir/one', 'D dir/two', 'A loop']);
      expect(blob(taken, 'dir').toString()).toBe('/etc');
    });

    test('submodules pass unchanged, also when their directory is gone', async () => {
      const taken = await step((tree) => rmSync(join(tree, 'module'), { recursive: true }));
      expect(taken.changeCount).toBe(0);
      const twin = await step((tree) => {
        rmSync(join(tree, 'module'), { recursive: true });
        writeFileSync(join(tree, 'module'), 'a file in its place');
      });
      expect(statuses(twin)).toEqual(['T module']);
    });
  });

  describe("the agent's git directory", () => {
    test('is never obeyed: no hook, monitor, filter or promisor of it is run', async () => {
      const canary = join(state.root, `canary-${mode}`);
      const taken = await step((tree) => {
        const trap = `touch ${canary}; touch /c/run/canary`;
        const config = [
          ['core.fsmonitor', trap],
          ['core.hooksPath', join(tree, '.git/hooks')],
          ['filter.canary.clean', trap],
          ['filter.canary.smudge', trap],
          ['diff.external', trap],
          ['extensions.partialClone', 'evil'],
          ['remote.evil.promisor', 'true'],
          ['remote.evil.url', `ext::sh -c "${trap}"`],
          ['remote.evil.uploadpack', trap],
          ['protocol.ext.allow', 'always'],
          ['core.worktree', '/'],
        ];
        for (const [name, value] of config)
          appendFileSync(join(tree, '.git/config'), section(name ?? '', value ?? ''));
        mkdirSync(join(tree, '.git/hooks'));
        for (const hook of [
          'post-index-change',
          'reference-transaction',
          'pre-commit',
          'post-checkout',
        ]) {
          writeFileSync(join(tree, '.git/hooks', hook), `#!/bin/sh\n${trap}\n`, { mode: 0o755 });
        }
        rmSync(join(tree, '.git/objects/info/alternates'));
        writeFiles(tree, {
          '.gitattributes': '* filter=canary diff=canary\n',
          'a.txt': 'changed\n',
        });
      });
      expect(statuses(taken)).toEqual(['M .gitattributes', 'M a.txt']);
      expect([existsSync(canary), existsSync(join(run.run, 'canary'))]).toEqual([false, false]);
      // The twin: these traps do spring on whoever runs git there.
      const where = mode === 'layered' ? ['view', 'upper'] : ['tree'];
      const tree = join(run.run, 'steps', `step-${counter}`, ...where);
      if (mode === 'layered') git(tree, ['init', '-q']);
      spawnSync('/usr/bin/git', ['-c', 'core.worktree=', 'diff'], { cwd: tree });
      expect(existsSync(canary)).toBe(true);
    });

    test('may be gone altogether, or be a file or a link', async () => {
      const taken = await step((tree) => {
        rmSync(join(tree, '.git'), { recursive: true });
        symlinkSync('/c/run/store.git', join(tree, '.git'));
        writeFileSync(join(tree, 'a.txt'), 'changed\n');
      });
      expect(statuses(taken)).toEqual(['M a.txt']);
    });
  });

  describe('of a step that may not write', () => {
    test('what is new is named and not looked into, what is tracked is compared', async () => {
      counter += 1;
      const key = `step-${counter}`;
      const tree = await run.layOut(key);
      writeFiles(tree, {
        'coverage/a/b.json': '{}',
        'node_modules/.cache/x': 'x',
        'new.txt': 'n',
        'a.txt': 'changed\n',
        '.gitignore': '*\n',
      });
      rmSync(join(tree, 'dir'), { recursive: true });
      expect(await run.compare(key)).toMatchObject({
        kind: 'taken',
        changes: [
          { path: '.gitignore', status: 'M' },
          { path: 'a.txt', status: 'M', added: 1, removed: 1 },
          { path: 'dir/one', status: 'D' },
          { path: 'dir/two', status: 'D' },
        ],
        untracked: ['coverage/', 'new.txt'],
        ignored: ['node_modules/'],
        gitDirectoryTouched: false,
      });
    });

    test('thousands of new files are one directory and no reason to refuse', async () => {
      counter += 1;
      const key = `step-${counter}`;
      const tree = await run.layOut(key);
      for (let i = 0; i < 30; i += 1) writeFiles(tree, { [`out/${i}`]: 'x' });
      const tight = { maxChangedFiles: 2 };
      expect(await run.compare(key, run.start, tight)).toMatchObject({
        changeCount: 0,
        untracked: ['out/'],
      });
      expect(await run.take(key, run.start, tight)).toMatchObject({ kind: 'refused' });
    });
  });

  describe('bounds', () => {
    const cases = [
      ['too_many_files', { maxChangedFiles: 2 }, { maxChangedFiles: 3 }],
      ['too_many_files', { maxEntries: 2 }, { maxEntries: 200 }],
      ['file_too_large', { maxFileBytes: 9 }, { maxFileBytes: 10 }],
      ['change_too_large', { maxChangedBytes: 29 }, { maxChangedBytes: 30 }],
    ] as const;
    test.each(cases)('%s is refused at %j and taken at %j', async (reason, tight, wide) => {
      counter += 1;
      const key = `step-${counter}`;
      const tree = await run.layOut(key);
      writeFiles(tree, { n1: '0123456789', n2: '0123456789', n3: '0123456789' });
      expect(await run.take(key, run.start, tight)).toMatchObject({ kind: 'refused', reason });
      expect(await run.take(key, run.start, wide)).toMatchObject({ kind: 'taken', changeCount: 3 });
    });

    test('a path of endless depth is refused', async () => {
      counter += 1;
      const key = `step-${counter}`;
      const tree = await run.layOut(key);
      runNode(
        'process.chdir(process.argv[1]); const d = "d".repeat(100); for (let i = 0; i < 38; i += 1) { fs.mkdirSync(d); process.chdir(d); }',
        tree,
      );
      expect(await run.take(key)).toMatchObject({ kind: 'refused', reason: 'path_too_long' });
      execFileSync('rm', ['-rf', '--one-file-system', stepDirectories(run.run, key).directory]);
    });
  });
});

describe('a tree that differs from the start', () => {
  test('is laid out over it: what is gone is gone, what became something else is that', async () => {
    run.layered = true;
    const first = await step((tree) => {
      rmSync(join(tree, 'dir'), { recursive: true });
      rmSync(join(tree, 'other/one'));
      rmSync(join(tree, 'crlf.txt'));
      writeFiles(tree, { 'a.txt': 'second\n', 'other/two': 'new\n', 'crlf.txt/in': 'x\n' });
      rmSync(join(tree, 'deep'), { recursive: true });
      writeFileSync(join(tree, 'deep'), 'a file now\n');
      rmSync(join(tree, 'link'));
      symlinkSync('run.sh', join(tree, 'link'));
    });
    counter += 1;
    const key = `step-${counter}`;
    const tree = await run.layOut(key, first.tree);
    expect(
      execFileSync('/usr/bin/find', ['.', '-path', './.git', '-prune', '-o', '-print'], {
        cwd: tree,
      })
        .toString()
        .trim()
        .split('\n')
        .toSorted(),
    ).toEqual([
      '.',
      './.gitattributes',
      './.gitignore',
      './a.txt',
      './big.bin',
      './crlf.txt',
      './crlf.txt/in',
      './deep',
      './ident.txt',
      './kept',
      './kept/in-ignored',
      './link',
      './module',
      './other',
      './other/two',
      './run.sh',
      './utf16.txt',
    ]);
    expect(readFileSync(join(tree, 'a.txt'), 'utf8')).toBe('second\n');
    writeFiles(tree, { 'a.txt': 'third\n', 'dir/one': '1\n' });
    rmSync(join(tree, 'other/two'));
    const second = await run.take(key, first.tree);
    expect(second).toMatchObject({ kind: 'taken' });
    if (second.kind !== 'taken') return;
    expect(statuses(second)).toEqual(['M a.txt', 'A dir/one', 'D other/two']);
    // The twin: the same tree, laid out as a copy, is the same.
    run.layered = false;
    counter += 1;
    const copy = `step-${counter}`;
    await run.layOut(copy, second.tree);
    expect(await run.take(copy, second.tree)).toMatchObject({ tree: second.tree, changeCount: 0 });
  });
});

function runNode(program: string, argument: string): void {
  spawnSync(process.execPath, ['-e', program, argument], { stdio: 'inherit' });
}

function section(name: string, value: string): string {
  const at = name.lastIndexOf('.');
  const [head, ...rest] = name.slice(0, at).split('.');
  const sub = rest.length === 0 ? '' : ` "${rest.join('.')}"`;
  return `[${head}${sub}]\n\t${name.slice(at + 1)} = ${JSON.stringify(value)}\n`;
}
