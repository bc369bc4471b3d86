import { describe, expect, test } from 'vitest';
import { applyTo, withOurs, type Row } from '../testing/argument-rows.ts';

describe('Gemini CLI', () => {
  const ours =
    '--skip-trust --policy /p/gemini-read-only.toml --admin-policy /p/gemini-read-only.toml';
  test.each<Row>([
    ['nothing', '', ''],
    [
      'their policies',
      '--policy a.toml --admin-policy=b.toml',
      '--policy a.toml --admin-policy=b.toml',
    ],
    ['a contradicting allow list', '--allowedTools sh write', '--allowedTools sh write'],
    ['trust in every spelling', '--skipTrust --skip-trust=true x', 'x'],
    ['autonomy, saved', '-y', '-y'],
    ['autonomy, saved in a cluster and asked for', '-dy', '-d --yolo', true],
    ['a cluster that is left alone', '-dy', '-dy'],
    ['a mode beside it', '--approvalMode plan -o json', '-o json --yolo', true],
    ['another mode', '--yolo --approval-mode=plan', '--approval-mode auto_edit', 'auto-edit'],
    [
      'the wrong spelling, which is not the flag',
      '--approval_mode x',
      '--approval_mode x --yolo',
      true,
    ],
    ['after --', '-- --yolo', '--yolo … -- --yolo', true],
  ])('%s', (_, saved, left, autonomous) => {
    const over = { autonomous, filesDirectory: '/p/' };
    for (const level of ['reflex', 'noShell'] as const) {
      expect(applyTo('gemini', saved, { ...over, level }).argv).toEqual(withOurs(left, ours));
    }
  });

  test('is given a file of rules, at each level its own', () => {
    const [file] = applyTo('gemini', '', { level: 'reflex' }).files;
    expect(file?.path).toBe('/in/read-only/gemini-read-only.toml');
    expect(file?.content).toContain('commandPrefix = ["git add", "git commit",');
    const [closed] = applyTo('gemini', '').files;
    expect(closed?.content.match(/toolName = "\w+"/g)).toEqual([
      'toolName = "write_file"',
      'toolName = "replace"',
      'toolName = "run_shell_command"',
    ]);
    expect(closed?.content).not.toContain('commandPrefix');
    expect(applyTo('gemini', '', { level: null }).files).toEqual([]);
  });
});
