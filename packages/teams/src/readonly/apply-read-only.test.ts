import { describe, expect, test } from 'vitest';
import { applyTo } from './testing/argument-rows.ts';

describe('a command that no rule can reach', () => {
  test('is refused: a shell takes the arguments for itself', () => {
    expect(() => applyTo('claude', '', { command: ['/bin/sh', '-c', 'claude'] })).toThrow(
      'the shell /bin/sh',
    );
    expect(() => applyTo('claude', '', { command: ['/opt/bin/claude'] })).not.toThrow();
  });
  test('is refused: a mode that does not exist', () => {
    expect(() => applyTo('qwen', '', { autonomous: 'always' })).toThrow(
      'no autonomous mode "always"; it has yolo',
    );
  });
});
