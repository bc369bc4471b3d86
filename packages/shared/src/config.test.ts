import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { environmentNames, loadConfig } from './config.ts';

let dir: string;
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'config-'));
  writeFileSync(join(dir, 'secret'), 'hunter2\n', { mode: 0o600 });
});
afterAll(() => rmSync(dir, { recursive: true }));

const SPEC = {
  values: { PORT: z.coerce.number().int().min(0).max(65535), NAME: z.string().default('x') },
  secrets: { PASSWORD: z.string().min(3) },
};

it('reads values by name and secrets from the files that are named', () => {
  const env = { PORT: '80', PASSWORD_FILE: join(dir, 'secret') };
  expect(loadConfig(SPEC, env)).toEqual({ PORT: 80, NAME: 'x', PASSWORD: 'hunter2' });
});

it('reports every problem in one message, each with its variable', () => {
  let message = '';
  try {
    loadConfig(SPEC, { PORT: 'ninety', PASSWORD_FILE: join(dir, 'nothing') });
  } catch (error) {
    message = (error as Error).message;
  }
  expect(message).toContain('PORT: ');
  expect(message).toContain(`PASSWORD_FILE: cannot read ${join(dir, 'nothing')} (ENOENT)`);
});

it('refuses a secret given by value even when its file is given too', () => {
  const env = { PORT: '80', PASSWORD: 'hunter2', PASSWORD_FILE: join(dir, 'secret') };
  expect(() => loadConfig(SPEC, env)).toThrow(/PASSWORD: a secret must not be given by value/);
});

it.each([0o604, 0o644, 0o602])(
  'refuses a secret in a file of mode %o, open to everybody',
  (mode) => {
    const file = join(dir, 'secret');
    const env = { PORT: '80', PASSWORD_FILE: file };
    chmodSync(file, mode);
    expect(() => loadConfig(SPEC, env)).toThrow(
      /^invalid configuration:\n  PASSWORD_FILE: .* is open to every user .*chmod 0400/,
    );
    chmodSync(file, 0o640);
    expect(loadConfig(SPEC, env).PASSWORD).toBe('hunter2');
  },
);

it('says what is missing and how to give it', () => {
  expect(() => loadConfig(SPEC, {})).toThrow(
    /PORT: is not set; set it[\s\S]*PASSWORD_FILE: is not set; set it/,
  );
});

it('lists the literal environment of a specification', () => {
  expect(environmentNames(SPEC)).toEqual(['NAME', 'PASSWORD_FILE', 'PORT']);
});
