/**
 * Starts git with the launcher's fixed environment and settings, on a git directory that is always named. The output of
 * commands is read whole and bounded, or streamed piece by piece.
 */
import { spawn } from 'node:child_process';
import { Problem } from './problem.mjs';

const GIT = '/usr/bin/git';
const WORDS_BYTES = 2000;
const OUTPUT_BYTES = 64 * 1024 * 1024;

/** Creates the functions that run git; `fixed` is `{ env, args }` as the launcher sent it. */
export function createGit(fixed) {
  function start(args, options) {
    const env = { ...fixed.env, ...options.env };
    if (options.gitDir !== undefined) env.GIT_DIR = options.gitDir;
    const fixedArgs = options.magicPaths
      ? fixed.args.filter((a) => a !== '--literal-pathspecs')
      : fixed.args;
    const child = spawn(
      GIT,
      [...fixedArgs, ...(options.config ?? []).flatMap((c) => ['-c', c]), ...args],
      {
        cwd: options.cwd ?? '/tmp',
        env,
        stdio: ['pipe', 'pipe', 'pipe'],
        timeout: options.timeoutMs,
        killSignal: 'SIGKILL',
      },
    );
    let words = '';
    child.stderr.setEncoding('utf8');
    child.stderr.on('data', (text) => {
      words = (words + text).slice(-WORDS_BYTES);
    });
    // A command that fails stops reading; its exit status tells.
    child.stdin.on('error', () => undefined);
    const ended = new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (code, signal) => resolve({ code, signal, words: words.trim() }));
    });
    return { child, ended };
  }

  async function feed(stdin, input) {
    if (input !== undefined && (typeof input === 'string' || Buffer.isBuffer(input))) {
      stdin.end(input);
      return;
    }
    for await (const piece of input ?? []) {
      if (stdin.destroyed) continue;
      if (!stdin.write(piece)) {
        await new Promise((resolve) => {
          stdin.once('drain', resolve);
          stdin.once('close', resolve);
        });
      }
    }
    stdin.end();
  }

  /** Runs git; each piece of output goes to `onData`. Gives `{ code, signal, words }` and never judges the code. */
  async function stream(args, options, onData) {
    const { child, ended } = start(args, options);
    const fed = feed(child.stdin, options.input);
    for await (const piece of child.stdout) await onData(piece);
    const [end] = await Promise.all([ended, fed]);
    return end;
  }

  /** Runs git and gives its output; throws the Problem `options.problem` (default `git_failed`) when it fails. */
  async function output(args, options = {}) {
    const pieces = [];
    let size = 0;
    const end = await stream(args, options, (piece) => {
      size += piece.length;
      if (size > OUTPUT_BYTES)
        throw new Problem('too_large', `git ${args[0]} printed more than ${OUTPUT_BYTES} bytes`);
      pieces.push(piece);
    });
    if (end.code !== 0) {
      const how = end.code === null ? `was ended by ${end.signal}` : `failed with ${end.code}`;
      throw new Problem(options.problem ?? 'git_failed', `git ${args[0]} ${how}: ${end.words}`);
    }
    return Buffer.concat(pieces);
  }

  return { stream, output };
}
