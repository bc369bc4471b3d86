/**
 * `sallyport bench`: what this costs, measured on this machine beside what one would use otherwise. Each benchmark is a
 * program of the service that it measures; this command starts it and shows what it found.
 */
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { AppError } from '@sallyport/shared/errors';
import {
  EXIT_CODES,
  stringOption,
  wrongUse,
  type Call,
  type Command,
  type ExitCode,
} from '../command.ts';
import { table } from '../operate/table.ts';

const MIN_SAMPLES = 1;
const MAX_SAMPLES = 1_000;
const MAX_FILES = 1_000_000;

const LAUNCHER = 'services/worker-launcher/src/launcher/bench/main.ts';

interface Bench {
  entry: string;
  summary: string;
  /** Which options it takes besides `--samples`. */
  takes: readonly string[];
}

const BENCHES: Readonly<Record<string, Bench>> = {
  steps: {
    entry: LAUNCHER,
    summary: 'what a step costs besides its agent, beside `git worktree add` of the same tree',
    takes: ['files'],
  },
  sandbox: {
    entry: LAUNCHER,
    summary: 'an empty sandbox beside bare `bwrap`, and with --engine beside bare `docker run`',
    takes: ['engine', 'image'],
  },
};

export const command: Command = {
  help: `usage: sallyport bench NAME [--samples N] [--files N] [--engine SOCKET --image ID]

Runs a benchmark on this machine. Without a name: all of them.
${Object.entries(BENCHES)
  .map(([name, { summary }]) => `  ${name.padEnd(16)}${summary}`)
  .join('\n')}
  --samples N      rounds, each with all that is compared, one after another (20)
  --files N        files of the project (50000)
  --engine SOCKET  the socket of a container engine, for docker; needs root and the docker client
  --image ID       an image there in which sandboxes can run (sha256:…)`,
  options: {
    samples: { type: 'string' },
    files: { type: 'string' },
    engine: { type: 'string' },
    image: { type: 'string' },
  },
  positionals: { min: 0, max: 1 },
  run,
};

async function run(call: Call): Promise<ExitCode> {
  const asked = call.positionals[0];
  const bench = BENCHES[asked ?? ''];
  if (asked !== undefined && bench === undefined) {
    throw wrongUse(
      `there is no benchmark "${asked}" (there is: ${Object.keys(BENCHES).join(', ')})`,
    );
  }
  const given: Readonly<Record<string, string[]>> = {
    samples: countOption(call, 'samples', MIN_SAMPLES, MAX_SAMPLES),
    files: countOption(call, 'files', 1, MAX_FILES),
    ...engineOptions(call),
  };
  const chosen = asked === undefined ? Object.keys(BENCHES) : [asked];
  const unfit = Object.keys(given).find(
    (name) =>
      name !== 'samples' &&
      given[name]?.length !== 0 &&
      !chosen.some((one) => BENCHES[one]?.takes.includes(name) === true),
  );
  if (unfit !== undefined) throw wrongUse(`bench ${asked}: does not take --${unfit}`);
  const results: Result[] = [];
  for (const name of chosen) {
    const { entry = '', takes = [] } = BENCHES[name] ?? {};
    const args = ['samples', ...takes].flatMap((option) => given[option] ?? []);
    results.push(await measure(call, entry, [name, ...args]));
  }
  const [only] = results;
  if (only !== undefined && results.length === 1) call.answer(only);
  else call.answer({ benches: results });
  return EXIT_CODES.done;
}

function engineOptions(call: Call): { engine: string[]; image: string[] } {
  const engine = stringOption(call, 'engine');
  const image = stringOption(call, 'image');
  if ((engine === undefined) !== (image === undefined)) {
    throw wrongUse('--engine and --image: give both or neither');
  }
  if (engine === undefined || image === undefined) return { engine: [], image: [] };
  if (!engine.startsWith('/')) {
    throw wrongUse(`--engine ${engine}: give the absolute path of a unix socket`);
  }
  if (!/^sha256:[0-9a-f]{64}$/.test(image)) {
    throw wrongUse(
      `--image ${image}: give an id, as docker image inspect --format {{.Id}} says it`,
    );
  }
  return { engine: ['--engine', engine], image: ['--image', image] };
}

function countOption(call: Call, name: string, min: number, max: number): string[] {
  const text = stringOption(call, name);
  if (text === undefined) return [];
  const count = Number(text);
  if (!Number.isInteger(count) || count < min || count > max) {
    throw wrongUse(`--${name} ${text}: give a whole number from ${min} to ${max}`);
  }
  return [`--${name}`, text];
}

interface Result extends Record<string, unknown> {
  bench: string;
  ratios: Record<string, number>;
}

async function measure(call: Call, entry: string, args: readonly string[]): Promise<Result> {
  const path = fileURLToPath(new URL(`../../../../${entry}`, import.meta.url));
  const child = spawn(process.execPath, ['--import', 'tsx', path, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (piece: string) => {
    output += piece;
  });
  child.stderr.setEncoding('utf8').on('data', (piece: string) => call.note(piece.trimEnd()));
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  if (code !== 0) throw new AppError('internal', `the benchmark ended with ${code ?? 'a signal'}`);
  const result = JSON.parse(output.trim().split('\n').at(-1) ?? '') as Result;
  call.print(describe(result));
  return result;
}

function describe(result: Result): string {
  const rows = [...figures('', result['ours']), ...figures('beside it: ', result['peers'])];
  const ratios = Object.entries(result.ratios).map(
    ([peer, ratio]) => `${result.bench}: ${ratio.toFixed(2)} times the cost of ${peer}`,
  );
  return [table(['', 'median', '95 %'], rows), ...ratios].join('\n');
}

function figures(prefix: string, group: unknown): string[][] {
  if (typeof group !== 'object' || group === null) return [];
  return Object.entries(group as Record<string, { medianMs?: number; p95Ms?: number }>).flatMap(
    ([name, { medianMs, p95Ms }]) =>
      medianMs === undefined ? [] : [[`${prefix}${name}`, `${medianMs} ms`, `${p95Ms ?? '–'} ms`]],
  );
}
