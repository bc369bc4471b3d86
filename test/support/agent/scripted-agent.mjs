/**
 * An agent whose behaviour is a file: it reads the prompt on standard input like any agent's command line program, then
 * does what its script lists, action by action, good or bad. Plain Node without dependencies, so that it runs in every
 * sandbox: node scripted-agent.mjs --script FILE [anything else, which is only recorded].
 */
import { spawn, spawnSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { connect } from 'node:net';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const HAND_OFF = process.env.SCRIPTED_AGENT_HAND_OFF ?? '/out/hand-off.json';
const CAPTURE_CHARACTERS = 16_000;
const EXIT_BAD_SCRIPT = 64;
const EXIT_ACTION_FAILED = 70;

/** What actions observed, by name; every hand-off carries it among its claims. */
const claims = {};

const ACTIONS = {
  write: ({ path, content, encoding }) => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, Buffer.from(content, encoding ?? 'utf8'));
  },
  append: ({ path, content }) => appendFileSync(path, content),
  edit: ({ path, find, replace }) => {
    const text = readFileSync(path, 'utf8');
    if (!text.includes(find)) throw new Error(`${path} does not contain ${JSON.stringify(find)}`);
    writeFileSync(
      path,
      text.replace(find, () => replace),
    );
  },
  delete: ({ path }) => rmSync(path, { recursive: true }),
  symlink: ({ path, target }) => symlinkSync(target, path),
  chmod: ({ path, mode }) => chmodSync(path, Number.parseInt(mode, 8)),
  run: ({ command, as }) => {
    const done = spawnSync('/bin/sh', ['-c', command], {
      encoding: 'utf8',
      maxBuffer: 64 * 1024 * 1024,
    });
    writeSync(1, done.stdout ?? '');
    writeSync(2, done.stderr ?? '');
    const output = `${done.stdout ?? ''}${done.stderr ?? ''}`.trim();
    if (as !== undefined)
      claims[as] = `${done.status ?? done.signal}: ${output}`.slice(0, CAPTURE_CHARACTERS);
    else if (done.status !== 0)
      throw new Error(`${command} ended with ${done.status ?? done.signal}`);
  },
  commit: ({ message }) => {
    const done = spawnSync(
      '/bin/sh',
      ['-c', 'git add -A && git commit -q -m "$1"', 'sh', message],
      { stdio: 'inherit' },
    );
    if (done.status !== 0) throw new Error('git commit failed');
  },
  sleep: ({ ms }) => sleep(ms),
  print: ({ text, stream }) => writeSync(stream === 'stderr' ? 2 : 1, text),
  printBytes: async ({ bytes }) => {
    const piece = Buffer.alloc(64 * 1024, 'x');
    for (let left = bytes; left > 0; left -= piece.length) {
      const free = process.stdout.write(piece.subarray(0, Math.min(left, piece.length)));
      if (!free) await new Promise((resolve) => process.stdout.once('drain', resolve));
    }
  },
  readFile: ({ path, as }) => capture(as, () => readFileSync(path, 'utf8')),
  readEnvironment: ({ as }) => capture(as, () => JSON.stringify(process.env)),
  readPrompt: ({ as }, { prompt }) => capture(as, () => prompt),
  readArguments: ({ as }) => capture(as, () => JSON.stringify(process.argv.slice(2))),
  connect: async ({ host, port, as }) => {
    claims[as] = await new Promise((resolve) => {
      const socket = connect({ host, port, timeout: 2000 });
      socket.once('connect', () => resolve('connected'));
      socket.once('timeout', () => resolve('timeout'));
      socket.once('error', (error) => resolve(error.code ?? 'error'));
    });
  },
  handOff: ({ outcome, summary, findings, claims: own }) => {
    const handOff = {
      v: 1,
      outcome,
      summary: summary ?? '',
      findings: findings ?? [],
      claims: { ...claims, ...own },
    };
    writeFileSync(HAND_OFF, JSON.stringify(handOff));
  },
  ignoreTerm: () => {
    process.on('SIGTERM', () => undefined);
    process.on('SIGHUP', () => undefined);
  },
  forkBomb: async () => {
    spawn('/bin/sh', ['-c', 'b() { b | b & }; b'], { stdio: 'ignore' });
    await sleep(60_000);
  },
  eatMemory: async ({ mebibytes }) => {
    const held = [];
    for (let i = 0; i < mebibytes; i += 16) {
      held.push(Buffer.alloc(16 * 1024 * 1024, 1));
      await sleep(5);
    }
    await sleep(2_000);
    if (held.length === 0) throw new Error('nothing was held');
  },
  fillDisk: async ({ path, mebibytes }) => {
    const piece = Buffer.alloc(1024 * 1024, 1);
    mkdirSync(path, { recursive: true });
    for (let i = 0; i < (mebibytes ?? Number.POSITIVE_INFINITY); i += 1) {
      writeFileSync(`${path}/fill-${i}`, piece);
      await sleep(0);
    }
  },
  exit: ({ code }) => process.exit(code),
};

function capture(as, read) {
  try {
    claims[as] = read().slice(0, CAPTURE_CHARACTERS);
  } catch (error) {
    claims[as] = `error: ${error.code ?? error.message}`;
  }
}

function fail(code, text) {
  writeSync(2, `scripted-agent: ${text}\n`);
  process.exit(code);
}

function readScript() {
  // The last one counts: a node's own script stands behind the one that the operator's file names.
  const at = process.argv.lastIndexOf('--script');
  const path = process.argv[at + 1];
  if (at < 0 || path === undefined) fail(EXIT_BAD_SCRIPT, '--script FILE is missing');
  try {
    // The script itself, where no file can be lent.
    const text = path.startsWith('{') ? path : readFileSync(path, 'utf8');
    return JSON.parse(text).actions;
  } catch (error) {
    return fail(EXIT_BAD_SCRIPT, `cannot read the script ${path}: ${error.message}`);
  }
}

/** Which visit of its node this step is. */
function readVisit() {
  const path = process.env.SALLYPORT_TASK ?? '/in/task.json';
  return JSON.parse(readFileSync(path, 'utf8')).step.visit;
}

const actions = readScript();
const prompt = readFileSync(0, 'utf8');
for (const [i, action] of actions.entries()) {
  const perform = ACTIONS[action.do];
  if (action.visits !== undefined && !action.visits.includes(readVisit())) continue;
  if (perform === undefined) fail(EXIT_BAD_SCRIPT, `action ${i} is unknown: ${action.do}`);
  try {
    await perform(action, { prompt });
  } catch (error) {
    // `mayFail` is for scripts that try what is forbidden: what stopped them is recorded, and they go on.
    if (action.mayFail === undefined)
      fail(EXIT_ACTION_FAILED, `action ${i} (${action.do}) failed: ${error.message}`);
    claims[action.mayFail] = `error: ${error.code ?? error.message}`;
  }
}
