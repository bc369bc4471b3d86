import { describe, expect, test } from 'vitest';
import { applyTo, withOurs, type Row } from '../testing/argument-rows.ts';

describe('Copilot CLI', () => {
  const deny =
    '--deny-tool write,shell(git~add),shell(git~commit),shell(git~push),shell(git~merge),shell(git~rebase),shell(git~reset),shell(git~checkout),shell(git~switch),shell(git~restore),shell(git~stash),shell(git~cherry-pick),shell(git~revert),shell(git~apply),shell(git~am),shell(git~rm),shell(git~mv),shell(git~clean),shell(git~tag),shell(git~worktree),shell(rm),shell(mv),shell(cp),shell(tee),shell(touch),shell(mkdir),shell(chmod),shell(chown),shell(ln),shell(truncate),shell(dd)';
  const ours = {
    reflex: `--excluded-tools create,edit,apply_patch,str_replace_editor,task ${deny}`,
    noShell: `--excluded-tools create,edit,apply_patch,str_replace_editor,task,bash,write_bash ${deny} --available-tools view,grep,glob`,
  };

  test.each<Row>([
    ['nothing', '', ''],
    [
      'their available tools, which would hide our list',
      '--available-tools bash,create -p x',
      '-p x',
    ],
    [
      'repeated and of several words',
      '--available-tools bash edit --no-color --available-tools=create',
      '--no-color',
    ],
    ['their excluded tools', '--excluded-tools web', '--excluded-tools web'],
    ['their denied tools', '--deny-tool=shell(curl)', '--deny-tool=shell(curl)'],
    ['a contradicting allow rule', '--allow-tool write', '--allow-tool write'],
    ['autonomy under every name, asked for', '--allow-all --allow-all-tools -s', '-s --yolo', true],
    ['trust', '--trust-folder', ''],
    ['after --', '-- --available-tools bash', '… -- --available-tools bash'],
  ])('%s', (_, saved, left, autonomous) => {
    for (const level of ['reflex', 'noShell'] as const) {
      expect(applyTo('copilot', saved, { level, autonomous }).argv).toEqual(
        withOurs(left, ours[level]),
      );
    }
  });

  test('a prompt that looks like our flag is asked for in one piece', () => {
    expect(() => applyTo('copilot', '-p --available-tools=bash')).toThrow(
      '-p stands without its value',
    );
    expect(applyTo('copilot', '-p=--available-tools=bash').argv[0]).toBe(
      '-p=--available-tools=bash',
    );
  });

  test('loses the variable that would trust the repository, read-only or not', () => {
    for (const level of ['reflex', null] as const) {
      expect(applyTo('copilot', '', { level }).env.unset).toEqual(['COPILOT_ALLOW_ALL']);
    }
  });
});
