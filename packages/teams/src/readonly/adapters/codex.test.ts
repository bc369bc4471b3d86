import { describe, expect, test } from 'vitest';
import { applyTo, withOurs, type Row } from '../testing/argument-rows.ts';

describe('Codex', () => {
  test.each<Row>([
    ['nothing', 'exec -', 'exec -'],
    ['the flag', 'exec --sandbox danger-full-access x', 'exec x'],
    ['with =', 'exec --sandbox=danger-full-access', 'exec'],
    ['short', 'exec -s workspace-write', 'exec'],
    ['joined short', 'exec -sworkspace-write', 'exec'],
    ['joined short with =', 'exec -s=workspace-write', 'exec'],
    ['repeated in mixed spellings', '-s read-only exec -sworkspace-write --sandbox=x', 'exec'],
    [
      'a configuration override',
      'exec -c sandbox_mode="danger-full-access" -c model="m"',
      'exec -c model="m"',
    ],
    ['joined', 'exec -csandbox_mode=x', 'exec'],
    ['long with =', 'exec --config=sandbox_mode=x', 'exec'],
    ['of a profile', 'exec -c profiles.a.sandbox_mode=x', 'exec'],
    ['of the writable roots', 'exec -c sandbox_workspace_write.writable_roots=["/"]', 'exec'],
    [
      'an override that only speaks of it',
      'exec -c note=sandbox_mode',
      'exec -c note=sandbox_mode',
    ],
    ['after --', 'exec -- -s danger-full-access --yolo', 'exec … -- -s danger-full-access --yolo'],
    ['in the prompt', 'exec use~--yolo~please', 'exec use~--yolo~please'],
    ['the bypass', 'exec --dangerously-bypass-approvals-and-sandbox', 'exec'],
    ['the bypass by its other name, asked for too', 'exec --yolo --json', 'exec --json', true],
    ['what has gone, or excludes ours', 'exec --full-auto --approve-for-me --trust', 'exec'],
  ])('%s', (_, saved, left, autonomous) => {
    for (const level of ['reflex', 'noShell'] as const) {
      expect(applyTo('codex', saved, { level, autonomous }).argv).toEqual(
        withOurs(left, '-s read-only'),
      );
    }
  });

  test('a flag that would take ours for its value is refused', () => {
    expect(() => applyTo('codex', 'exec -C --yolo')).toThrow('-C stands without its value');
    expect(applyTo('codex', 'exec -C=--yolo').argv).toEqual([
      'exec',
      '-C=--yolo',
      '-s',
      'read-only',
    ]);
  });

  test('a model replaces every saved one, since two exit 2', () => {
    const { argv } = applyTo('codex', 'exec -m a --model=b', { model: 'c' });
    expect(argv).toEqual(['exec', '-m', 'c', '-s', 'read-only']);
  });

  test.each(['exec resume --last', 'resume x', 'exec review', 'apply x', 'exec --remote ws://h'])(
    'refuses "%s", which the sandbox flag does not reach, and lets a writing step have it',
    (saved) => {
      expect(() => applyTo('codex', saved)).toThrow('a read-only step cannot run Codex with');
      expect(() => applyTo('codex', saved, { level: null })).not.toThrow();
    },
  );

  test('a writing step keeps its sandbox and loses its trust', () => {
    expect(applyTo('codex', 'exec -s workspace-write --trust', { level: null }).argv).toEqual([
      'exec',
      '-s',
      'workspace-write',
    ]);
    expect(applyTo('codex', 'exec --full-auto', { level: null, autonomous: true }).argv).toEqual([
      'exec',
      '--dangerously-bypass-approvals-and-sandbox',
    ]);
  });

  test('says what it took out', () => {
    expect(applyTo('codex', 'exec --yolo -s workspace-write -c a=b').removed).toEqual([
      '--yolo',
      '-s',
      'workspace-write',
    ]);
  });
});
