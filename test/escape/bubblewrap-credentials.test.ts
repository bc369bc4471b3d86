import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createBubblewrapDriver } from '../../services/worker-launcher/src/launcher/sandbox/bubblewrap-driver.ts';
import { shellSpec } from '../../services/worker-launcher/src/launcher/sandbox/sandbox-fixture.ts';
import { sandboxProcesses, scanSandbox, type Finding } from './scan-sandbox.ts';

/** Not one of them is anybody's; assembled here, so that no scanner takes this file for a leak. */
const PLANTED: Readonly<Record<string, string>> = {
  'a GitHub token': `ghs_${'a1B2'.repeat(9)}`,
  'a GitHub token of the stateless format': ['ghs_424242_eyJhbGciOi', 'payload123', 'c2ln'].join(
    '.',
  ),
  "the App's key": [
    '-----BEGIN RSA PRIVATE ',
    'KEY-----\nMIIB\n-----END RSA PRIVATE KEY-----',
  ].join(''),
  'a model key': `sk-ant-${'abcd'.repeat(8)}`,
  'the webhook secret': '0f1e2d3c4b5a'.repeat(3),
  'the operator token': `op_${'6Zs1mQ2k'.repeat(3)}`,
  'the URL of Postgres': ['postgres://launcher', 'pw-of-launcher@127.0.0.1:5432/x'].join(':'),
  'the URL of Redis': ['redis://launcher', 'pw-of-launcher@127.0.0.1:6379/0'].join(':'),
};

const driver = createBubblewrapDriver();
let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'credentials-'));
});
afterAll(() => rmSync(directory, { recursive: true }));

async function scanWith(planted: Readonly<Record<string, string>>): Promise<Finding[]> {
  const files = mkdtempSync(join(directory, 'in-'));
  Object.values(planted).forEach((value, i) => writeFileSync(join(files, `file-${i}`), value));
  const stop = new AbortController();
  const run = driver.run(
    shellSpec('', {
      argv: ['/bin/sh', '-c', 'sleep 60; :', 'sh', ...Object.values(planted)],
      env: {
        PATH: '/usr/bin:/bin',
        ...Object.fromEntries(Object.values(planted).map((value, i) => [`V${i}`, value])),
      },
      mounts: [{ kind: 'bind', role: 'in', source: files, target: '/in', access: 'read_only' }],
    }),
    { signal: stop.signal },
  );
  try {
    let pids: number[] = [];
    // The shell with its child, below bubblewrap's first process.
    for (let i = 0; i < 200 && pids.length < 3; i += 1) {
      await sleep(25);
      pids = sandboxProcesses(process.pid);
    }
    return scanSandbox(pids, { secrets: PLANTED });
  } finally {
    stop.abort();
    await run;
  }
}

describe('a scan of a running sandbox', () => {
  let findings: Finding[] = [];
  beforeAll(async () => {
    findings = await scanWith(PLANTED);
  });

  test.each(Object.keys(PLANTED))('finds %s in environment, arguments and files', (what) => {
    const index = Object.keys(PLANTED).indexOf(what);
    for (const where of ['environment', 'arguments', `/in/file-${index}`]) {
      expect(findings).toContainEqual({ where, what });
    }
  });

  test('finds what is not known by its shape', () => {
    expect(findings).toContainEqual({ where: 'environment', what: 'shape' });
    expect(findings).toContainEqual({ where: '/in/file-0', what: 'shape' });
  });

  test('finds nothing where nothing was planted', async () => {
    expect(await scanWith({})).toEqual([]);
  });
});
