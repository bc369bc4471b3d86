/** What an agent can lay into its tree to lead a collector astray; each beside what is taken all the same. */
import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  closeSync,
  existsSync,
  ftruncateSync,
  linkSync,
  openSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  makeRepository,
  makeStateRoot,
  startRun,
  writeFiles,
  type TestRun,
} from './collector-fixture.ts';
import type { TakenTree } from './take-tree.ts';

const state = makeStateRoot();
let run: TestRun;
let counter = 0;
beforeAll(async () => {
  const repository = makeRepository(state.root, { 'a.txt': 'a\n', 'run.sh': '#!/bin/sh\n' }, (at) =>
    chmodSync(join(at, 'run.sh'), 0o755),
  );
  run = await startRun(state.root, repository);
});
afterAll(state.remove);

async function takeAfter(change: (tree: string) => void): Promise<TakenTree> {
  counter += 1;
  const key = `trap-${counter}`;
  change(await run.layOut(key));
  return run.take(key);
}
async function step(change: (tree: string) => void): Promise<TakenTree & { kind: 'taken' }> {
  const taken = await takeAfter(change);
  if (taken.kind !== 'taken') throw new Error(taken.message);
  return taken;
}
function statuses(taken: TakenTree & { kind: 'taken' }): string[] {
  return taken.changes.map((c) => `${c.status} ${c.path} ${c.newMode}`);
}
function blob(taken: TakenTree & { kind: 'taken' }, path: string): string {
  const env = {
    PATH: '/usr/bin',
    GIT_DIR: join(run.run, 'store.git'),
    GIT_ALTERNATE_OBJECT_DIRECTORIES: join(run.mirror, 'objects'),
  };
  return execFileSync('/usr/bin/git', ['cat-file', 'blob', `${taken.tree}:${path}`], {
    env,
    stdio: ['ignore', 'pipe', 'ignore'],
  }).toString();
}

const MODES = ['copied', 'layered'] as const;
describe.each(MODES)('%s:', (mode) => {
  beforeAll(() => {
    run.layered = mode === 'layered';
  });

  test('a second name of a file is a file of its own', async () => {
    const taken = await step((tree) => {
      linkSync(join(tree, 'a.txt'), join(tree, 'b.txt'));
      writeFileSync(join(tree, 'b.txt'), 'both\n');
    });
    expect(statuses(taken)).toEqual(['M a.txt 100644', 'A b.txt 100644']);
    expect([blob(taken, 'a.txt'), blob(taken, 'b.txt')]).toEqual(['both\n', 'both\n']);
  });

  test('a device is left out where it can be made, and cannot be made in a layer', async () => {
    const taken = await step((tree) => {
      // This one every user may make.
      const made = spawnSync('/usr/bin/mknod', [join(tree, 'null'), 'c', '0', '0']);
      expect(made.status === 0).toBe(mode === 'copied');
      writeFileSync(join(tree, 'beside'), 'x\n');
    });
    expect(statuses(taken)).toEqual(['A beside 100644']);
    expect(taken.skipped).toEqual(mode === 'copied' ? [{ path: 'null', reason: 'device' }] : []);
  });

  test('the bits that lend a user or group are not taken, that of execution is', async () => {
    const taken = await step((tree) => {
      chmodSync(join(tree, 'run.sh'), 0o6755);
      writeFileSync(join(tree, 'root.sh'), '#!/bin/sh\n');
      chmodSync(join(tree, 'root.sh'), 0o4755);
      writeFileSync(join(tree, 'plain'), 'x\n');
      chmodSync(join(tree, 'plain'), 0o6644);
    });
    expect(statuses(taken)).toEqual(['A plain 100644', 'A root.sh 100755']);
  });

  test('a file of ten gibibytes that takes no room is refused at once', async () => {
    const hole = (path: string): void => {
      const fd = openSync(path, 'a');
      ftruncateSync(fd, 10 * 1024 ** 3);
      closeSync(fd);
    };
    const before = Date.now();
    for (const path of ['new.bin', 'a.txt']) {
      expect(await takeAfter((tree) => hole(join(tree, path)))).toMatchObject({
        kind: 'refused',
        reason: 'file_too_large',
      });
    }
    expect(Date.now() - before).toBeLessThan(20_000);
    const twin = await step((tree) => writeFileSync(join(tree, 'new.bin'), Buffer.alloc(1024)));
    expect(statuses(twin)).toEqual(['A new.bin 100644']);
  });

  test('names that are one to other file systems are all taken, for the policy to judge', async () => {
    const taken = await step((tree) => {
      for (const name of ['A.txt', 'README', 'readme', 'caf\u00e9', 'cafe\u0301'])
        writeFileSync(join(tree, name), name);
    });
    expect(taken.changes.map(({ path }) => path).toSorted()).toEqual(
      ['A.txt', 'README', 'readme', 'caf\u00e9', 'cafe\u0301'].toSorted(),
    );
  });

  test('a bare repository is files like any, and nothing in it is obeyed', async () => {
    const canary = join(state.root, `sprung-${mode}`);
    const taken = await step((tree) =>
      writeFiles(tree, {
        'sub/HEAD': 'ref: refs/heads/main\n',
        'sub/config': `[core]\n\tbare = false\n\tworktree = .\n\tfsmonitor = touch ${canary}\n`,
        'sub/objects/info/alternates': '/c/mirror/objects\n',
        'sub/refs/heads/main': `${run.start}\n`,
        'sub/hooks/post-index-change': `#!/bin/sh\ntouch ${canary}\n`,
        // At the very top, where a collector would stand if it entered the tree.
        HEAD: 'ref: refs/heads/main\n',
        config: `[core]\n\tfsmonitor = touch ${canary}\n`,
        'objects/x': '',
        'refs/x': '',
      }),
    );
    expect(taken.changes.map(({ path }) => path)).toEqual([
      'HEAD',
      'config',
      'objects/x',
      'refs/x',
      'sub/HEAD',
      'sub/config',
      'sub/hooks/post-index-change',
      'sub/objects/info/alternates',
      'sub/refs/heads/main',
    ]);
    expect(existsSync(canary)).toBe(false);
  });

  test('a link is taken as the bytes of its target, wherever it leads', async () => {
    const targets = [
      '/etc/passwd',
      '../../../../c/mirror',
      '.git/config',
      '/proc/self/environ',
      '.',
    ];
    const taken = await step((tree) => {
      for (const [i, target] of targets.entries()) symlinkSync(target, join(tree, `link-${i}`));
      expect(readlinkSync(join(tree, 'link-0'))).toBe('/etc/passwd');
    });
    expect(statuses(taken)).toEqual(targets.map((_, i) => `A link-${i} 120000`));
    expect(targets.map((_, i) => blob(taken, `link-${i}`))).toEqual(targets);
  });
});
