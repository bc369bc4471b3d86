import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { commandScript } from './command-script.ts';

function run(commands: Parameters<typeof commandScript>[0]): {
  status: number | null;
  out: string;
} {
  const [program, ...args] = commandScript(commands);
  const done = spawnSync(program, args, { encoding: 'utf8', env: { PATH: '/usr/bin:/bin' } });
  return { status: done.status, out: done.stdout + done.stderr };
}

test('each command is shown, then run, in order', () => {
  expect(run([['echo', 'one two'], 'echo "$((1 + 2))"; echo err >&2'])).toEqual({
    status: 0,
    out: '+ echo one two\none two\n+ echo "$((1 + 2))"; echo err >&2\n3\nerr\n',
  });
});

test('the first that fails is the last, and its status is that of all', () => {
  expect(run(['exit 7', 'echo never'])).toEqual({ status: 7, out: '+ exit 7\n' });
});

test('a word of a list is a word whatever stands in it', () => {
  const words = ["it's", '$HOME', '`id`', 'a\nb', '; exit 9', '*', ''];
  const { status, out } = run([['printf', '<%s>', ...words]]);
  expect(status).toBe(0);
  expect(out.endsWith("<it's><$HOME><`id`><a\nb><; exit 9><*><>")).toBe(true);
});

test('a program that is not there ends it', () => {
  expect(run([['/nonexistent/program']]).status).toBe(127);
});
