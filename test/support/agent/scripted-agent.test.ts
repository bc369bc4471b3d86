import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { agentScript, SCRIPTED_AGENT_PATH, type ScriptedAction } from './script.ts';

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'scripted-agent-'));
});
afterAll(() => rmSync(directory, { recursive: true }));

function runAgent(...actions: ScriptedAction[]): {
  status: number | null;
  stdout: string;
  stderr: string;
  handOff: unknown;
} {
  const script = join(directory, 'script.json');
  const handOff = join(directory, 'hand-off.json');
  writeFileSync(script, agentScript(...actions));
  rmSync(handOff, { force: true });
  const done = spawnSync(process.execPath, [SCRIPTED_AGENT_PATH, '--verbose', '--script', script], {
    cwd: directory,
    env: { PATH: '/usr/bin:/bin', SCRIPTED_AGENT_HAND_OFF: handOff },
    input: 'the prompt',
    encoding: 'utf8',
  });
  let left: unknown;
  try {
    left = JSON.parse(readFileSync(handOff, 'utf8'));
  } catch {
    left = undefined;
  }
  return { status: done.status, stdout: done.stdout, stderr: done.stderr, handOff: left };
}

test('the agent does what its script lists and hands off what it saw', () => {
  const done = runAgent(
    { do: 'write', path: 'a/b.txt', content: 'one two' },
    { do: 'edit', path: 'a/b.txt', find: 'two', replace: '$& three' },
    { do: 'append', path: 'a/b.txt', content: '!' },
    { do: 'run', command: 'echo hello; exit 3', as: 'ran' },
    { do: 'readPrompt', as: 'prompt' },
    { do: 'readArguments', as: 'arguments' },
    { do: 'readFile', path: '/nonexistent', as: 'missing' },
    { do: 'write', path: '/proc/x', content: '', mayFail: 'forbidden' },
    { do: 'handOff', outcome: 'done', summary: 's', claims: { tests: true } },
    { do: 'exit', code: 5 },
  );
  expect(readFileSync(join(directory, 'a/b.txt'), 'utf8')).toBe('one $& three!');
  expect([done.status, done.stdout]).toEqual([5, 'hello\n']);
  expect(done.handOff).toMatchObject({
    v: 1,
    outcome: 'done',
    claims: {
      ran: '3: hello',
      prompt: 'the prompt',
      missing: 'error: ENOENT',
      forbidden: 'error: ENOENT',
      tests: true,
    },
  });
});

test('an action that fails ends the agent with its number, and nothing after it is done', () => {
  const done = runAgent(
    { do: 'edit', path: 'a/b.txt', find: 'absent', replace: '' },
    { do: 'handOff', outcome: 'done' },
  );
  expect(done.status).toBe(70);
  expect(done.stderr).toContain('action 0 (edit) failed');
  expect(done.handOff).toBeUndefined();
});

test('the program knows exactly the actions that can be written', () => {
  const typed = [
    ...readFileSync(new URL('script.ts', import.meta.url), 'utf8').matchAll(/do: '(\w+)'/g),
  ].map((m) => m[1]);
  const known = [
    ...readFileSync(SCRIPTED_AGENT_PATH, 'utf8').matchAll(/^ {2}(\w+): (?:async )?\(/gm),
  ].map((m) => m[1]);
  expect(known.toSorted()).toEqual(typed.toSorted());
});
