/**
 * From a command line to an exit code: finds the command, parses its options, prints its help, and turns what it throws
 * into the right code. Nothing here knows any single command.
 */
import { parseArgs } from 'node:util';
import { AppError, errorCodeOf } from '@sallyport/shared/errors';
import {
  EXIT_CODES,
  wrongUse,
  type Call,
  type Command,
  type CommandEntry,
  type ExitCode,
} from './command.ts';
import { nearest } from './nearest.ts';

export type CommandTable = Readonly<Record<string, CommandEntry>>;

export interface Streams {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
}

/** Runs the command line (without `node` and the script) and returns its exit code; it does not throw. */
export async function runCli(
  argv: readonly string[],
  table: CommandTable,
  streams: Streams,
): Promise<ExitCode> {
  const [name, ...args] = argv;
  if (name === undefined || name === '--help' || name === '-h' || name === 'help') {
    streams[name === undefined ? 'err' : 'out'](overview(table));
    return name === undefined ? EXIT_CODES.wrong_use : EXIT_CODES.done;
  }
  const entry = Object.hasOwn(table, name) ? table[name] : undefined;
  if (!entry) {
    const guess = nearest(name, Object.keys(table));
    const hint = guess === undefined ? '' : `; did you mean "${guess}"?`;
    streams.err(`sallyport: unknown command "${name}"${hint} (sallyport --help lists them)\n`);
    return EXIT_CODES.wrong_use;
  }
  const { command } = await entry.load();
  return callCommand(name, command, args, streams);
}

async function callCommand(
  name: string,
  command: Command,
  args: readonly string[],
  streams: Streams,
): Promise<ExitCode> {
  const own = args.includes('--') ? args.slice(0, args.indexOf('--')) : args;
  if (own.includes('--help') || own.includes('-h')) {
    streams.out(`${command.help.trim()}\n`);
    return EXIT_CODES.done;
  }
  const json = command.passThrough !== true && own.includes('--json');
  try {
    return await command.run(parse(name, command, args, json, streams));
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    streams.err(`sallyport ${name}: ${message}\n`);
    const isWrongUse =
      error instanceof AppError && (error.code === 'bad_input' || error.code === 'bad_config');
    if (isWrongUse) streams.err(`${command.help.trim().split('\n')[0]}\n`);
    else if (errorCodeOf(error) === 'internal' && error instanceof Error)
      streams.err(`${error.stack ?? ''}\n`);
    if (json)
      streams.out(
        `${JSON.stringify({ ok: false, error: { code: errorCodeOf(error), message } })}\n`,
      );
    return isWrongUse ? EXIT_CODES.wrong_use : EXIT_CODES.no;
  }
}

function parse(
  name: string,
  command: Command,
  args: readonly string[],
  json: boolean,
  streams: Streams,
): Call {
  const outputs = {
    json,
    print: (text: string) => (json ? streams.err : streams.out)(`${text}\n`),
    note: (text: string) => streams.err(`${text}\n`),
    answer: (value: Readonly<Record<string, unknown>>) => {
      if (json) streams.out(`${JSON.stringify(value)}\n`);
    },
  };
  if (command.passThrough === true) return { ...outputs, values: {}, positionals: args, rest: [] };
  const split = args.indexOf('--');
  const before = split === -1 ? args : args.slice(0, split);
  const rest = split === -1 ? [] : args.slice(split + 1);
  const { values, positionals } = parseOptions(command, before);
  const { min, max } = command.positionals ?? { min: 0, max: 0 };
  if (positionals.length < min) throw wrongUse(`too few arguments: ${name} needs ${min}`);
  if (positionals.length > max)
    throw wrongUse(`too many arguments: "${positionals[max]}" is not understood`);
  return { ...outputs, values, positionals, rest };
}

function parseOptions(
  command: Command,
  args: readonly string[],
): Pick<Call, 'values' | 'positionals'> {
  try {
    const parsed = parseArgs({
      args: [...args],
      options: { ...command.options, json: { type: 'boolean' } },
      allowPositionals: true,
      strict: true,
    });
    return { values: { ...parsed.values }, positionals: parsed.positionals };
  } catch (error) {
    throw wrongUse(error instanceof Error ? error.message : String(error));
  }
}

function overview(table: CommandTable): string {
  const width = Math.max(...Object.keys(table).map((name) => name.length));
  const lines = Object.entries(table).map(
    ([name, { summary }]) => `  ${name.padEnd(width)}  ${summary}`,
  );
  return `usage: sallyport COMMAND [OPTIONS]\n\n${lines.join('\n')}\n\nEvery command has --help and --json.\n`;
}
