import { describe, expect, test } from 'vitest';
import type { ReadOnlyLevel } from '../../restriction-words.ts';
import { openCodeEnvironment } from './opencode-permission.ts';
import { applyTo, withOurs, type Row } from '../testing/argument-rows.ts';

describe('OpenCode', () => {
  test.each<Row>([
    ['nothing', 'run', 'run'],
    ['an agent', 'run --agent build --format json', 'run --format json'],
    ['repeated, in every spelling', 'run --agent plan --agent=build', 'run'],
    ['asking for autonomy', 'run --auto x', 'run x --auto', true],
    ['an agent in the prompt', 'run -- do --agent build', 'run … -- do --agent build'],
    ['a flag without help', 'run --dangerously-skip-permissions', 'run'],
  ])('%s', (_, saved, left, autonomous) => {
    for (const level of ['reflex', 'noShell'] as const) {
      expect(applyTo('opencode', saved, { level, autonomous }).argv).toEqual(withOurs(left, ''));
    }
  });

  const permission = (env: Record<string, string>, level: ReadOnlyLevel = 'noShell'): unknown =>
    JSON.parse(applyTo('opencode', 'run', { env, level }).env.set['OPENCODE_PERMISSION'] ?? '');

  test('is closed by permissions, with the configuration of the repository switched off', () => {
    expect(applyTo('opencode', 'run').env.set).toEqual({
      OPENCODE_DISABLE_PROJECT_CONFIG: '1',
      OPENCODE_PERMISSION:
        '{"*":"deny","read":"allow","grep":"allow","glob":"allow","list":"allow"}',
    });
    expect(permission({}, 'reflex')).toMatchObject({
      edit: 'deny',
      task: 'deny',
      bash: { '*': 'allow', 'git commit *': 'deny', 'sed -i *': 'deny' },
    });
    expect(applyTo('opencode', 'run --agent build', { level: null }).argv).toEqual([
      'run',
      '--agent',
      'build',
    ]);
  });

  test('keeps what they refuse and opens nothing that they open', () => {
    const theirs = {
      edit: 'allow',
      webfetch: 'deny',
      read: { '*.env': 'deny', '*': 'allow' },
      bash: { 'curl *': 'ask' },
    };
    const env = { OPENCODE_PERMISSION: JSON.stringify(theirs) };
    expect(permission(env)).toEqual({
      '*': 'deny',
      read: { '*': 'allow', '*.env': 'deny' },
      grep: 'allow',
      glob: 'allow',
      list: 'allow',
      webfetch: 'deny',
      bash: { 'curl *': 'deny' },
    });
    expect(permission(env, 'reflex')).toMatchObject({
      edit: 'deny',
      bash: { '*': 'allow', 'curl *': 'deny' },
    });
    expect(permission({ OPENCODE_PERMISSION: '"deny"' }, 'reflex')).toMatchObject({ '*': 'deny' });
  });

  test('takes openings out of a configuration given inline', () => {
    const content = {
      provider: { x: 1 },
      permission: { edit: 'allow', bash: 'deny' },
      agent: { build: { permission: 'allow', tools: { write: true, bash: false }, prompt: 'p' } },
    };
    const env = { OPENCODE_CONFIG_CONTENT: JSON.stringify(content) };
    expect(
      JSON.parse(applyTo('opencode', 'run', { env }).env.set['OPENCODE_CONFIG_CONTENT'] ?? ''),
    ).toEqual({
      provider: { x: 1 },
      permission: { bash: 'deny' },
      agent: { build: { permission: {}, tools: { bash: false }, prompt: 'p' } },
    });
  });

  test.each(['OPENCODE_PERMISSION', 'OPENCODE_CONFIG_CONTENT'])(
    'refuses a %s that is not JSON',
    (name) => {
      expect(() => applyTo('opencode', 'run', { env: { [name]: '{' } })).toThrow(
        `${name} is not JSON`,
      );
    },
  );

  test('refuses to attach to a server that was started without the rule', () => {
    expect(() => applyTo('opencode', 'run --attach http://h')).toThrow('--attach');
  });
});

describe('nobody is there to be asked, so a question of theirs is a refusal', () => {
  test.each([
    ['an edit tool', 'noShell', { edit: 'ask' }, 'edit'],
    ['the shell', 'noShell', { bash: 'ask' }, 'bash'],
    ['the shell with its refused commands', 'reflex', { bash: 'ask' }, 'bash'],
    ['a name that stands for several tools', 'reflex', { 'e*': 'ask' }, 'e*'],
  ] as const)('%s', (_, level, theirs, key) => {
    const { set } = openCodeEnvironment(level, { OPENCODE_PERMISSION: JSON.stringify(theirs) });
    expect(JSON.parse(set['OPENCODE_PERMISSION'] ?? '')[key]).toBe('deny');
  });
});
