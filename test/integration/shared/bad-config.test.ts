/** Every process, started as it is in production with a configuration that is wrong in every way at once, and with a right one. */
import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { nodeCommand } from '@sallyport/cli/local/code-view';
import {
  PROCESS_TABLE,
  runtimeEnvironment,
  type DeploymentSettings,
  type ProcessEntry,
} from '@sallyport/cli/local/process-table';
import type { ConfigSpec } from '@sallyport/shared/config';
import { environmentOf } from '@sallyport/shared/service';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { z } from 'zod';

const ROOT = join(import.meta.dirname, '../../..');
const ENDS_WITHIN_MS = 20_000;
const SETTINGS: DeploymentSettings = {
  id: 'demo',
  logLevel: 'info',
  github: { apiUrl: 'http://127.0.0.1:1', url: 'http://127.0.0.1:1', appId: 1, appSlug: 's' },
  intake: { host: '127.0.0.1', port: 0 },
  console: { host: '127.0.0.1', port: 0 },
  launcher: { maxRuns: 1, leaseSeconds: 30 },
  agentsFile: '/nonexistent/agents.json',
  importIsolation: 'none',
};
/** 64 hexadecimal digits satisfy every secret that is not a URL, as far as the environment can tell. */
const PLAIN = '5ec2e7'.repeat(11).slice(0, 64);
const GOOD: Readonly<Record<string, string>> = {
  DATABASE_URL: 'postgres://nobody:x@127.0.0.1:1/nothing',
  REDIS_URL: 'redis://127.0.0.1:1',
};

let dir: string;
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'sp-config-'));
  mkdirSync(join(dir, 'directory'));
  writeFileSync(join(dir, 'open'), PLAIN);
  chmodSync(join(dir, 'open'), 0o644);
});
afterAll(() => rmSync(dir, { recursive: true }));

async function specOf(entry: ProcessEntry): Promise<ConfigSpec<z.ZodRawShape, z.ZodRawShape>> {
  const file = join(ROOT, dirname(entry.main), 'config.ts');
  return environmentOf(
    ((await import(file)) as { CONFIG: ConfigSpec<z.ZodRawShape, z.ZodRawShape> }).CONFIG,
  );
}

interface Outcome {
  code: number | string;
  output: string;
}

function run(entry: ProcessEntry, env: Record<string, string>): Promise<Outcome> {
  const [program, ...args] = nodeCommand(entry.main);
  const child = spawn(program, args, {
    env: { ...runtimeEnvironment(dir), ...env },
    cwd: '/',
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: ENDS_WITHIN_MS,
    killSignal: 'SIGKILL',
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (piece: Buffer) => (output += piece.toString()));
  return new Promise((resolve) =>
    child.once('close', (code, signal) => resolve({ code: signal ?? code ?? 'unknown', output })),
  );
}

/** Ways in which a secret can be wrong: the environment that says it, and the complaint. */
const WRONG_SECRETS = [
  (name: string) => ({
    env: { [name]: PLAIN },
    complaint: `${name}: a secret must not be given by value`,
  }),
  (name: string) => ({
    env: { [`${name}_FILE`]: join(dir, 'missing') },
    complaint: `${name}_FILE: cannot read ${join(dir, 'missing')} (ENOENT)`,
  }),
  (name: string) => ({
    env: { [`${name}_FILE`]: join(dir, 'open') },
    complaint: `${name}_FILE: ${join(dir, 'open')} is open to every user of this machine (mode 0644)`,
  }),
  (name: string) => ({
    env: { [`${name}_FILE`]: join(dir, 'directory') },
    complaint: `${name}_FILE: cannot read ${join(dir, 'directory')} (EISDIR)`,
  }),
];

describe.each(PROCESS_TABLE.map((entry) => [entry.name, entry] as const))('%s', (_, entry) => {
  it('names everything that is wrong with its configuration, and ends with 2', async () => {
    const spec = await specOf(entry);
    // The own secret first, so that each process meets it given by value.
    const secrets = Object.keys(spec.secrets)
      .toReversed()
      .flatMap((name, i) => WRONG_SECRETS[i % WRONG_SECRETS.length]?.(name) ?? []);
    const required = Object.entries(spec.values)
      .filter(([, schema]) => !(schema as z.ZodType).safeParse(undefined).success)
      .map(([name]) => name)
      .filter((name) => name !== 'DEPLOYMENT_ID');
    const outcome = await run(
      entry,
      Object.assign(
        { DEPLOYMENT_ID: 'Not An Id', LOG_LEVEL: 'loud' },
        ...secrets.map(({ env }) => env),
      ) as Record<string, string>,
    );
    for (const complaint of [
      ...secrets.map((secret) => secret.complaint),
      ...required.map((name) => `${name}: is not set`),
      'DEPLOYMENT_ID: use lower-case letters',
      'LOG_LEVEL: ',
    ])
      expect(outcome.output).toContain(complaint);
    expect(outcome.output).not.toContain(PLAIN);
    expect(secrets.length).toBeGreaterThan(2);
    expect(outcome.code).toBe(2);
  });

  it('goes on to its database when nothing is wrong with it', async () => {
    const files = Object.keys(entry.secrets).map((name) => {
      const file = join(dir, `${entry.name}.${name}`);
      writeFileSync(file, GOOD[name] ?? PLAIN, { mode: 0o400 });
      return [`${name}_FILE`, file] as const;
    });
    const outcome = await run(entry, {
      DEPLOYMENT_ID: SETTINGS.id,
      ...entry.values(SETTINGS, join(dir, 'state')),
      ...Object.fromEntries(files),
    });
    expect(outcome.output).toContain('reading the schema version');
    expect(outcome.output).not.toContain(PLAIN);
    expect(outcome.code).toBe(1);
  });
});
