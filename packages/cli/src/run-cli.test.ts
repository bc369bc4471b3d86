import { AppError } from '@sallyport/shared/errors';
import { describe, expect, it } from 'vitest';
import type { Call, Command, ExitCode } from './command.ts';
import { runCli } from './run-cli.ts';

const HELP = 'usage: sallyport greet NAME [--loud]\n\nGreets.';

async function run(argv: readonly string[], act: (call: Call) => ExitCode = () => 0) {
  const command: Command = {
    help: HELP,
    options: { loud: { type: 'boolean' } },
    positionals: { min: 1, max: 1 },
    run: async (call) => act(call),
  };
  let out = '';
  let err = '';
  const code = await runCli(
    argv,
    { greet: { summary: 'greets', load: async () => ({ command }) } },
    {
      out: (text) => {
        out += text;
      },
      err: (text) => {
        err += text;
      },
    },
  );
  return { code, out, err };
}

describe('runCli', () => {
  it('hands over options, words and what follows --', async () => {
    const seen: Call[] = [];
    await run(['greet', 'Ada', '--loud', '--', '--json'], (call) => {
      seen.push(call);
      return 0;
    });
    expect(seen).toMatchObject([
      { values: { loud: true }, positionals: ['Ada'], rest: ['--json'], json: false },
    ]);
  });

  it('refuses an unknown command with the nearest one as a hint', async () => {
    expect(await run(['gret'])).toMatchObject({
      code: 2,
      out: '',
      err: expect.stringContaining('"greet"'),
    });
  });

  it.each([[['greet']], [['greet', 'a', 'b']], [['greet', 'a', '--quiet']]])(
    'refuses %j with exit code 2 and the usage line',
    async (argv) => {
      const { code, err } = await run(argv);
      expect(code).toBe(2);
      expect(err).toContain('usage: sallyport greet NAME [--loud]');
    },
  );

  it('passes the exit code of the command on', async () => {
    expect(await run(['greet', 'Ada'], () => 1)).toMatchObject({ code: 1 });
    expect(await run(['greet', 'Ada'], () => 0)).toMatchObject({ code: 0 });
  });

  it('prints help on standard output and does not run the command', async () => {
    const refuse = () => {
      throw new Error('the command ran');
    };
    expect(await run(['greet', '--help'], refuse)).toEqual({ code: 0, out: `${HELP}\n`, err: '' });
    expect(await run(['--help'])).toMatchObject({
      code: 0,
      out: expect.stringContaining('greets'),
    });
  });

  it('keeps standard output for the answer alone with --json', async () => {
    const act = (call: Call): ExitCode => {
      call.print('Hello');
      call.note('working');
      call.answer({ ok: true });
      return 0;
    };
    expect(await run(['greet', 'Ada', '--json'], act)).toEqual({
      code: 0,
      out: '{"ok":true}\n',
      err: 'Hello\nworking\n',
    });
    expect(await run(['greet', 'Ada'], act)).toEqual({ code: 0, out: 'Hello\n', err: 'working\n' });
  });

  it.each([
    ['bad_config', 2],
    ['not_found', 1],
  ] as const)('turns the error %s into exit code %i and a JSON answer', async (code, exit) => {
    const result = await run(['greet', 'Ada', '--json'], () => {
      throw new AppError(code, 'no such thing');
    });
    expect(result.code).toBe(exit);
    expect(JSON.parse(result.out)).toEqual({
      ok: false,
      error: { code, message: 'no such thing' },
    });
    expect(result.err).toContain('no such thing');
  });
});
