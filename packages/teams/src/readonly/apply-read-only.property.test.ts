/** For any saved arguments, in any spelling and order, with any autonomous mode: the agent starts, and refuses. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { READ_ONLY_LEVELS } from '../restriction-words.ts';
import { ADAPTERS } from './adapters.ts';
import { applyReadOnly, type AppliedArguments, type ArgumentsInput } from './apply-read-only.ts';
import type { Judge } from './testing/judge.ts';
import { MODEL_CLIS } from './testing/model-clis.ts';
import { savedArguments } from './testing/saved-arguments.ts';

const THEIR_ENV = {
  GROK_FOLDER_TRUST: '0',
  COPILOT_ALLOW_ALL: 'true',
  GEMINI_CLI_TRUST_WORKSPACE: 'true',
  OPENCODE_PERMISSION: '{"edit":"allow","bash":{"*":"allow","curl *":"deny"}}',
  OPENCODE_CONFIG_CONTENT: '{"agent":{"build":{"permission":{"edit":"allow"}}}}',
};

function judgeOf(cli: string): Judge {
  const judge = MODEL_CLIS[cli];
  if (judge === undefined) throw new Error(`no model of ${cli}`);
  return judge;
}
function startOf(applied: AppliedArguments) {
  const kept = Object.entries(THEIR_ENV).filter(([name]) => !applied.env.unset.includes(name));
  return {
    args: applied.argv.slice(1),
    env: { ...Object.fromEntries(kept), ...applied.env.set },
    files: new Map(applied.files.map((file) => [file.path, file.content])),
  };
}
/** Where the second list stands in the first as whole runs in this order; false when a run is missing. */
function standsIn(list: readonly string[], runs: readonly (readonly string[])[]): boolean {
  let from = 0;
  return runs.every((run) => {
    for (let at = from; at + run.length <= list.length; at += 1) {
      if (run.every((token, i) => list[at + i] === token)) {
        from = at + run.length;
        return true;
      }
    }
    return false;
  });
}

describe.each(ADAPTERS.map((adapter) => [adapter.cli, adapter] as const))('%s', (cli, adapter) => {
  const modes = fc.constantFrom<ArgumentsInput['autonomous']>(
    undefined,
    false,
    true,
    ...Object.keys(adapter.autonomy.modes),
  );
  const base =
    cli === 'codex'
      ? fc.constantFrom(['codex', 'exec'], ['codex', '-s', 'workspace-write', 'exec'])
      : fc.constant([adapter.binary]);
  const input = fc.record({
    saved: savedArguments(cli),
    autonomous: modes,
    command: base,
    level: fc.constantFrom(...READ_ONLY_LEVELS),
  });

  test('starts and refuses, leaves alone what is not its own, and is the same when done twice', () => {
    fc.assert(
      fc.property(input, ({ saved, autonomous, command, level }) => {
        const savedArgs = [...saved.fragments.flatMap((f) => f.tokens), ...saved.rest];
        const options = { adapter, autonomous, level, env: THEIR_ENV };
        const applied = applyReadOnly({ ...options, command, savedArgs });
        expect(judgeOf(cli)(startOf(applied), level)).toBeUndefined();

        const replaced = new Set(
          autonomous === undefined || autonomous === false ? [] : AUTONOMOUS,
        );
        const mustStay = saved.fragments
          .filter((f) => f.neutral && !f.tokens.some((token) => replaced.has(token)))
          .map((f) => f.tokens);
        const flags = applied.argv.slice(0, applied.argv.length - saved.rest.length);
        expect(standsIn(flags, mustStay)).toBe(true);
        expect(applied.argv.slice(flags.length)).toEqual(saved.rest);

        const [program = '', ...args] = applied.argv;
        const again = applyReadOnly({
          ...options,
          command: [program],
          savedArgs: args,
          env: { ...THEIR_ENV, ...applied.env.set },
        });
        expect(again.argv).toEqual(applied.argv);
        expect(again.env).toEqual(applied.env);
      }),
      { numRuns: 300 },
    );
  });

  test('is judged as writing without the rule', () => {
    const open = applyReadOnly({
      adapter,
      command: [adapter.binary],
      autonomous: true,
      level: null,
    });
    expect(judgeOf(cli)(startOf(open), 'reflex')).toBeTypeOf('string');
  });
});

/** Values of an autonomous mode, which gives way to the one that is asked for. */
const AUTONOMOUS = ['bypassPermissions', '--yolo', '--approval-mode', '--approvalMode'];
test('an unknown flag that stands last cannot take the rule for its value', () => {
  const [claude] = ADAPTERS;
  if (claude === undefined) throw new Error('no adapter');
  for (const flag of ['--future-value', '--future-switch']) {
    const applied = applyReadOnly({
      adapter: claude,
      command: ['claude'],
      savedArgs: ['-p', flag, '--', '--tools', 'Bash'],
      level: 'noShell',
    });
    expect(judgeOf('claude')(startOf(applied), 'noShell')).toBeUndefined();
  }
});
