import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkServers } from '@sallyport/cli/doctor/server-checks';
import { createPool } from '@sallyport/shared/db/pool';
import {
  createTestDeployment,
  type TestDeployment,
} from '../../support/deployment/test-deployment.ts';

const SALLYPORT = join(import.meta.dirname, '../../../sallyport');

interface Answer {
  code: number | null;
  checks: Record<string, { result: string; message: string; mend: string | null }>;
  text: string;
}

let directory: string;
let deployment: TestDeployment;
beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'doctor-'));
  deployment = await createTestDeployment();
});
afterAll(async () => {
  await deployment.close();
  rmSync(directory, { recursive: true, force: true });
});

/** `before`: what is done to the machine first, in a mount namespace of the command's own. */
async function doctor(
  env: Readonly<Record<string, string>> = {},
  before?: string,
): Promise<Answer> {
  const command = [SALLYPORT, 'doctor', '--json'];
  const own = process.getuid?.() === 0 ? ['--mount'] : ['--user', '--map-root-user', '--mount'];
  const [program = '', ...args] =
    before === undefined
      ? command
      : ['unshare', ...own, '--', '/bin/sh', '-c', `${before}; exec "$@"`, 'sh', ...command];
  const child = spawn(program, args, {
    // A state directory in which nothing runs.
    env: { PATH: process.env['PATH'] ?? '', SALLYPORT_STATE_DIR: directory, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let out = '';
  let text = '';
  child.stdout.on('data', (piece: Buffer) => (out += piece.toString()));
  child.stderr.on('data', (piece: Buffer) => (text += piece.toString()));
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  const last = out.trim().split('\n').at(-1) ?? '';
  const { checks } = JSON.parse(last) as { checks: ({ id: string } & Answer['checks'][string])[] };
  return { code, text, checks: Object.fromEntries(checks.map(({ id, ...rest }) => [id, rest])) };
}

function namedIn(urls: { database: string; redis: string }): Record<string, string> {
  const files = { DATABASE_URL_FILE: urls.database, REDIS_URL_FILE: urls.redis };
  const env = Object.entries(files).map(([name, url]) => {
    const file = join(directory, name);
    writeFileSync(file, url, { mode: 0o600 });
    return [name, file];
  });
  return { DEPLOYMENT_ID: deployment.id, ...Object.fromEntries(env) };
}

describe('sallyport doctor', () => {
  it('passes on this machine, and asks no server where no deployment runs', async () => {
    const { code, checks, text } = await doctor();
    expect([code, text]).toEqual([0, expect.stringContaining('pass  sandbox_starts')]);
    expect(checks).toMatchObject({
      user_namespaces: { result: 'pass', mend: null },
      sandbox_starts: { result: 'pass' },
      sandbox_is_empty: { result: 'pass' },
    });
    expect(Object.keys(checks)).not.toContain('postgres');
  });

  it('fails where bubblewrap is not what it should be, says what to do, and asks the servers all the same', async () => {
    const { urls, redisUrl } = deployment;
    const env = namedIn({ database: urls.operator, redis: redisUrl });
    const { code, checks, text } = await doctor(env, 'mount --bind /dev/null /usr/bin/bwrap');
    expect(code).toBe(1);
    expect(checks['sandbox_starts']).toMatchObject({ result: 'fail', mend: expect.any(String) });
    expect(checks).toMatchObject({ postgres: { result: 'pass' }, redis: { result: 'pass' } });
    expect(text).toContain('fail  sandbox_starts');
  });

  it('fails where the servers do not answer', async () => {
    const port = await unusedPort();
    const db = createPool({
      url: `postgres://operator:x@127.0.0.1:${port}/sallyport`,
      deployment: deployment.id,
      process: 'operator',
      max: 1,
    });
    const checks = await checkServers({
      deployment: deployment.id,
      db,
      redisUrl: `redis://operator:x@127.0.0.1:${port}`,
      operator: 'test',
      close: () => db.end(),
    });
    await db.end();
    expect(checks).toMatchObject([
      { id: 'postgres', result: 'fail', mend: expect.stringContaining('DATABASE_URL_FILE') },
      { id: 'redis', result: 'fail', mend: expect.stringContaining('REDIS_URL_FILE') },
    ]);
  });
});

async function unusedPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address !== null ? address.port : 0;
}
