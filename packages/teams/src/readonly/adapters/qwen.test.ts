import { describe, expect, test } from 'vitest';
import { applyTo, words, type Row } from '../testing/argument-rows.ts';

describe('Qwen Code', () => {
  test.each<Row>([
    ['nothing', '', ''],
    [
      'their excluded tools in every spelling',
      '--exclude-tools a b --excludeTools=c',
      '--exclude-tools a b --excludeTools=c',
    ],
    ['a contradicting allow list', '--allowed-tools edit', '--allowed-tools edit'],
    ['autonomy, asked for', '--approval-mode plan -o json', '-o json --yolo', true],
    ['autonomy, saved', '--yolo', '--yolo'],
    ['set to false', '--yolo false x', 'x --yolo', true],
    ['the other mode', '-y', '--approval-mode auto-edit', 'auto-edit'],
    ['the safe mode', '--safeMode -d', '-d'],
  ])('%s', (_, saved, left, autonomous) => {
    for (const level of ['reflex', 'noShell'] as const) {
      const tools = `write_file,edit,notebook_edit${level === 'noShell' ? ',run_shell_command' : ''}`;
      expect(applyTo('qwen', saved, { level, autonomous }).argv).toEqual([
        ...words(left),
        '--safe-mode',
        '--exclude-tools',
        tools,
      ]);
    }
  });
});
