import { describe, expect, test } from 'vitest';
import { applyTo, withOurs, words, type Row } from '../testing/argument-rows.ts';

describe('Grok CLI', () => {
  const rules =
    '--deny Edit --deny Write --deny Bash(git~add*) --deny Bash(git~commit*) --deny Bash(git~push*) --deny Bash(git~merge~*) --deny Bash(git~rebase*) --deny Bash(git~reset*) --deny Bash(git~checkout*) --deny Bash(git~switch*) --deny Bash(git~restore*) --deny Bash(git~stash*) --deny Bash(git~cherry-pick*) --deny Bash(git~revert*) --deny Bash(git~apply*) --deny Bash(git~am*) --deny Bash(git~rm*) --deny Bash(git~mv*) --deny Bash(git~clean*) --deny Bash(git~tag*) --deny Bash(git~worktree*) --deny Bash(rm~*) --deny Bash(mv~*) --deny Bash(cp~*) --deny Bash(tee~*) --deny Bash(touch~*) --deny Bash(mkdir~*) --deny Bash(chmod~*) --deny Bash(chown~*) --deny Bash(ln~*) --deny Bash(truncate~*) --deny Bash(dd~*) --deny Bash(sed~-i*)';
  const ours = {
    reflex: `${rules} --disallowed-tools search_replace,write,hashline_edit`,
    noShell: `${rules} --deny Bash --disallowed-tools search_replace,write,hashline_edit,run_terminal_cmd,Agent`,
  };

  test.each<Row>([
    ['nothing', '', ''],
    [
      'their own deny rules, under both names',
      '--deny WebFetch --disallowedTools=Read',
      '--deny WebFetch --disallowedTools=Read',
    ],
    ['an equal rule', '--deny Edit --debug', '--debug'],
    ['a contradicting allow rule', '--allow Edit', '--allow Edit'],
    ['autonomy under one name', '--yolo', '--yolo'],
    [
      'autonomy under every name, asked for',
      '--dangerously-skip-permissions -c',
      '-c --always-approve',
      true,
    ],
    ['trust', '--trust --debug', '--debug'],
  ])('%s', (_, saved, left, autonomous) => {
    for (const level of ['reflex', 'noShell'] as const) {
      expect(applyTo('grok', saved, { level, autonomous }).argv).toEqual(
        withOurs(left, ours[level]),
      );
    }
  });

  test('what only looks like the flag is left alone, or asked for in one piece', () => {
    expect(applyTo('grok', '--cwd /deny --rules=--deny=x').argv.slice(0, 3)).toEqual([
      '--cwd',
      '/deny',
      '--rules=--deny=x',
    ]);
    expect(() => applyTo('grok', '--rules --deny=x')).toThrow('--rules stands without its value');
  });

  test.each(['--disallowed-tools web,write', '--disallowed-tools=web,write'])(
    'their removed tools in "%s" and ours become one list, since two exit 2',
    (saved) => {
      expect(applyTo('grok', saved, { level: 'reflex' }).argv).toEqual(
        words(`${rules} --disallowed-tools web,write,search_replace,hashline_edit`),
      );
    },
  );

  test('loses the variable that would trust the repository', () => {
    expect(applyTo('grok', '', { level: null }).env.unset).toEqual(['GROK_FOLDER_TRUST']);
  });
});
