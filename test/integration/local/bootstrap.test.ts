/** The first start in a fresh clone, and every later one: what is installed, what is said where, and what is refused. */
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createFakeCheckout, type FakeCheckout } from '../../support/local/fake-checkout.ts';

const WANTED = /^pnpm@([\d.]+)/.exec(
  JSON.parse(readFileSync(join(import.meta.dirname, '../../../package.json'), 'utf8'))
    .packageManager,
)?.[1];
/** Answers with a version, and at an install takes some time in which another start could begin one too. */
const PNPM = `[ "$1" = --version ] && echo ${WANTED} && exit
echo "pnpm $*" >> "$CALLS"; echo progress; sleep 0.3; mkdir -p node_modules`;
const INSTALLS = expect.stringMatching(/^pnpm install --frozen-lockfile --prod=false/);

let checkout: FakeCheckout;
beforeEach(() => {
  checkout = createFakeCheckout();
  checkout.program('pnpm', PNPM);
});
afterEach(() => {
  checkout.remove();
});

describe('the launcher', () => {
  it('hands over arguments, working directory and exit code, called from anywhere and through symlinks', async () => {
    const elsewhere = mkdtempSync('/tmp/sp-test-elsewhere-');
    symlinkSync(join(checkout.path, 'sallyport'), join(elsewhere, 'real'));
    symlinkSync('real', join(elsewhere, 'link'));
    const outcome = await checkout.run(['task', 'a b', '--json'], {
      script: join(elsewhere, 'link'),
      cwd: elsewhere,
    });
    rmSync(elsewhere, { recursive: true });
    expect(outcome.code).toBe(7);
    expect(JSON.parse(outcome.stdout)).toEqual({
      argv: [join(checkout.path, 'packages/cli/src/main.ts'), 'task', 'a b', '--json'],
      cwd: elsewhere,
    });
  });

  it.each(['v18.20.8', 'v20.18.3', 'v21.7.3', 'v22.11.0'])(
    'refuses Node %s in one line',
    async (version) => {
      checkout.program('node', `echo ${version}`);
      const outcome = await checkout.run(['task']);
      expect(outcome).toMatchObject({ code: 2, stdout: '' });
      expect(outcome.stderr).toMatch(
        new RegExp(`^sallyport: needs Node.js 20.19.*found: ${version}\\n$`),
      );
    },
  );

  it.each(['v20.19.0', 'v22.12.0', 'v24.1.0'])('accepts Node %s', async (version) => {
    checkout.program(
      'node',
      `[ "$1" = --version ] && echo ${version} || echo "node $*" >> "$CALLS"`,
    );
    expect(await checkout.run(['task'])).toMatchObject({ code: 0, stderr: '' });
    expect(checkout.calls()).toHaveLength(2);
  });

  it('refuses a machine without Node', async () => {
    rmSync(join(checkout.bin, 'node'));
    expect(await checkout.run(['task'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('found: none'),
    });
  });
});

describe('dependencies', () => {
  it('are installed once by two starts at the same moment, with all chatter on standard error', async () => {
    const outcomes = await Promise.all([
      checkout.run(['task', '--json']),
      checkout.run(['task', '--json']),
    ]);
    expect(checkout.calls()).toEqual([INSTALLS]);
    for (const { code, stdout } of outcomes) {
      expect(code).toBe(7);
      expect(stdout.trimEnd().split('\n')).toHaveLength(1);
    }
    expect(outcomes.map(({ stderr }) => stderr).join('')).toContain('progress');
  });

  it('are installed again when the lockfile changes or node_modules is gone, and else left alone', async () => {
    await checkout.run(['task']);
    expect(await checkout.run(['task'])).toMatchObject({ stderr: '' });
    expect(checkout.calls()).toHaveLength(1);

    writeFileSync(join(checkout.path, 'pnpm-lock.yaml'), 'changed');
    await checkout.run(['task']);
    expect(checkout.calls()).toHaveLength(2);

    rmSync(join(checkout.path, 'node_modules'), { recursive: true });
    await checkout.run(['task']);
    expect(checkout.calls()).toHaveLength(3);
  });

  it('do not count as installed when the install failed', async () => {
    checkout.program('pnpm', `${PNPM}\nexit 1`);
    expect(await checkout.run(['task'])).toMatchObject({ code: 2, stdout: '' });
    checkout.program('pnpm', PNPM);
    expect(await checkout.run(['task'])).toMatchObject({ code: 7 });
  });

  it('are installed by the very pnpm that package.json names, fetched with npm when it is not there', async () => {
    checkout.program('pnpm', 'echo 9.9.9');
    checkout.program(
      'npm',
      `echo "npm $*" >> "$CALLS"; echo "omit=$npm_config_omit" >> "$CALLS"
mkdir -p node_modules/pnpm/bin
echo 'require("fs").mkdirSync("node_modules", { recursive: true })' > node_modules/pnpm/bin/pnpm.cjs`,
    );
    expect(await checkout.run(['task'], { env: { npm_config_omit: 'dev' } })).toMatchObject({
      code: 7,
    });
    const [npm, omit] = checkout.calls();
    expect(npm).toMatch(
      new RegExp(`^npm install --prefix \\S+ --ignore-scripts .*pnpm@${WANTED}$`),
    );
    expect(omit).toBe('omit=');
    expect(existsSync(join(checkout.path, '.local/tools', `pnpm-${WANTED}`))).toBe(true);

    rmSync(join(checkout.path, 'node_modules'), { recursive: true });
    expect(await checkout.run(['task'])).toMatchObject({ code: 7 });
    expect(checkout.calls()).toHaveLength(2);
  });
});

describe('programs of the machine', () => {
  it('are not asked for by a command that does not run them', async () => {
    expect(await checkout.run(['readonly', 'claude'])).toMatchObject({ code: 7 });
  });

  it('are named in one line when they are missing and cannot be installed', async () => {
    checkout.program('git', '');
    await checkout.run(['task']);
    const outcome = await checkout.run(['demo', '--json']);
    expect(outcome).toEqual({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(
        /^sallyport: not installed: redis-server, bwrap; .*apt-get install redis-server bubblewrap\)\n$/,
      ),
    });
  });

  it('are installed with apt-get where nobody has to be asked', async () => {
    checkout.program('git', '');
    checkout.program('sudo', '[ "$1" = -n ] || exit 1; shift; exec env "$@"');
    checkout.program(
      'apt-get',
      `echo "apt-get $* ($DEBIAN_FRONTEND)" >> "$CALLS"; echo chatter
case $* in *install*) for p in redis-server bwrap; do echo '#!/bin/sh' > "$BIN/$p"; chmod +x "$BIN/$p"; done ;; esac`,
    );
    const outcome = await checkout.run(['demo']);
    expect(outcome.code).toBe(7);
    expect(outcome.stdout).not.toContain('chatter');
    expect(checkout.calls().slice(1)).toEqual([
      'apt-get -q update (noninteractive)',
      'apt-get -q install -y --no-install-recommends redis-server bubblewrap (noninteractive)',
    ]);
    expect(await checkout.run(['demo'])).toMatchObject({ code: 7, stderr: '' });
  });
});
