/**
 * `sallyport readonly CLI`: the command line that makes an agent CLI read-only, for anybody, without a server. What is
 * printed on standard output can be pasted; how far it can be trusted stands on standard error.
 */
import { basename } from 'node:path';
import { findAdapter, ADAPTERS } from '@sallyport/teams/readonly/adapters';
import { applyReadOnly } from '@sallyport/teams/readonly/apply-read-only';
import { enforcementSentence } from '@sallyport/teams/readonly/enforcement-sentence';
import { LEFT_BY_UNKNOWN_CLI } from '@sallyport/teams/readonly/plan-step';
import { promptSentences } from '@sallyport/teams/readonly/prompt-sentences';
import { isVerified, newestVerified } from '@sallyport/teams/readonly/verification';
import { READ_ONLY_LEVELS, type ReadOnlyLevel } from '@sallyport/teams/restriction-words';
import {
  EXIT_CODES,
  flagOption,
  stringOption,
  wrongUse,
  type Call,
  type Command,
  type ExitCode,
} from '../command.ts';
import { nearest } from '../nearest.ts';
import { quoteForShell } from '../quote-for-shell.ts';

export const command: Command = {
  help: `usage: sallyport readonly CLI [--version V] [--level reflex|noShell] [--files DIR] [--prompt] [-- ARGV…]

Prints the command line that makes this agent CLI read-only: ARGV (with or without the program in front) without
what would loosen it, then the arguments that harden and restrict it.
CLI is one of ${ADAPTERS.map((adapter) => adapter.cli).join(', ')}; for any other the prompt is all there is.

  --version V   the version of the CLI that you have; without it, the one that was verified
  --level L     reflex (default): no edit tools and no writing commands, the shell stays open for tests
                noShell: no shell either
  --files DIR   where files that an argument names will lie (default .)
  --prompt      prints the sentences for the prompt too
These refusals are no boundary: a shell walks around them. A read-only mount of the project is one.`,
  options: {
    version: { type: 'string' },
    level: { type: 'string' },
    files: { type: 'string' },
    prompt: { type: 'boolean' },
  },
  positionals: { min: 1, max: 1 },
  run,
};

async function run(call: Call): Promise<ExitCode> {
  const cli = call.positionals[0] ?? '';
  const level = levelOf(call);
  const adapter = findAdapter(cli);
  const version =
    stringOption(call, 'version') ?? (adapter === undefined ? undefined : newestVerified(adapter));
  const verified = adapter !== undefined && isVerified(adapter, version, level);
  const applied =
    adapter === undefined
      ? { argv: [...call.rest], env: { set: {}, unset: [] }, files: [], removed: [] }
      : applyReadOnly({
          adapter,
          ...splitProgram(adapter.binary, call.rest),
          level,
          env: environmentStrings(),
          filesDirectory: stringOption(call, 'files') ?? '.',
        });
  const sentence = enforcementSentence({ cli, adapter, level, version, verified });
  const prompt = promptSentences({ adapter, level, verified }).join(' ');
  const leavesOpen = adapter?.levels[level].leavesOpen ?? LEFT_BY_UNKNOWN_CLI;

  const variables = Object.entries(applied.env.set).map(
    ([name, v]) => `${name}=${quoteForShell(v)}`,
  );
  const unset = applied.env.unset.flatMap((name) => ['-u', name]);
  const env = variables.length + unset.length === 0 ? [] : ['env', ...unset, ...variables];
  call.print([...env, ...applied.argv.map(quoteForShell)].join(' '));
  for (const file of applied.files) {
    call.print(`\n${file.path}, to be written before the start:\n\n${file.content}`);
  }
  if (flagOption(call, 'prompt')) call.print(`\n${prompt}`);
  call.note(sentence);
  for (const open of leavesOpen) call.note(`open: ${open}`);
  if (applied.removed.length > 0) {
    call.note(`taken out: ${applied.removed.map(quoteForShell).join(' ')}`);
  }
  if (adapter === undefined) noteNearest(call, cli);
  call.answer({
    cli: adapter?.cli ?? cli,
    version: version ?? null,
    level,
    argv: applied.argv,
    env: applied.env.set,
    unset: applied.env.unset,
    files: applied.files,
    removed: applied.removed,
    enforcedBy: adapter?.enforcedBy ?? 'written_rule',
    verified,
    leavesOpen,
    sentence,
    prompt,
  });
  return EXIT_CODES.done;
}

function levelOf(call: Call): ReadOnlyLevel {
  const asked = stringOption(call, 'level') ?? 'reflex';
  const level = READ_ONLY_LEVELS.find((known) => known === asked);
  if (level !== undefined) return level;
  throw wrongUse(`--level is "${asked}"; it can be ${READ_ONLY_LEVELS.join(' or ')}`);
}

function splitProgram(
  binary: string,
  argv: readonly string[],
): { command: readonly string[]; savedArgs: readonly string[] } {
  const [first] = argv;
  return first !== undefined && basename(first) === binary
    ? { command: [first], savedArgs: argv.slice(1) }
    : { command: [], savedArgs: argv };
}

function noteNearest(call: Call, cli: string): void {
  const guess = nearest(
    cli,
    ADAPTERS.flatMap((adapter) => [adapter.cli, ...adapter.aliases]),
  );
  if (guess !== undefined) call.note(`did you mean "${guess}"?`);
}

/** The caller's own variables: what they set for the agent is joined with ours. */
function environmentStrings(): Record<string, string> {
  return Object.fromEntries(
    Object.entries(process.env).filter(
      (entry): entry is [string, string] => entry[1] !== undefined,
    ),
  );
}
