import { describe, expect, test } from 'vitest';
import { applyTo, withOurs, type Row } from '../testing/argument-rows.ts';

describe('Claude Code', () => {
  const listed =
    'Bash(git~add:*),Bash(git~commit:*),Bash(git~push:*),Bash(git~merge:*),Bash(git~rebase:*),Bash(git~reset:*),Bash(git~checkout:*),Bash(git~switch:*),Bash(git~restore:*),Bash(git~stash:*),Bash(git~cherry-pick:*),Bash(git~revert:*),Bash(git~apply:*),Bash(git~am:*),Bash(git~rm:*),Bash(git~mv:*),Bash(git~clean:*),Bash(git~tag:*),Bash(git~worktree:*),Bash(rm:*),Bash(mv:*),Bash(cp:*),Bash(tee:*),Bash(touch:*),Bash(mkdir:*),Bash(chmod:*),Bash(chown:*),Bash(ln:*),Bash(truncate:*),Bash(dd:*),Bash(sed~-i:*)';
  const reflex = `--setting-sources user --strict-mcp-config --disallowedTools Edit,Write,MultiEdit,NotebookEdit,${listed}`;
  const noShell = `--setting-sources user --strict-mcp-config --tools Read,Grep,Glob --disallowedTools Edit,Write,MultiEdit,NotebookEdit,${listed},Bash`;

  test.each<Row>([
    ['nothing', '', ''],
    ['a prompt after --', '-p -- fix~it', '-p … -- fix~it'],
    [
      'our flags after --',
      '-p -- --tools Bash --disallowedTools x',
      '-p … -- --tools Bash --disallowedTools x',
    ],
    ['their own deny list', '--disallowedTools WebFetch,Task', '--disallowedTools WebFetch,Task'],
    [
      'their deny list in the other spelling',
      '--disallowed-tools=WebFetch',
      '--disallowed-tools=WebFetch',
    ],
    [
      'a deny list of several words',
      '--disallowedTools WebFetch Edit -p',
      '--disallowedTools WebFetch Edit -p',
    ],
    [
      'a contradicting allow list, which is outvoted',
      '--allowedTools Edit Bash',
      '--allowedTools Edit Bash',
    ],
    [
      'our flag as the value of another',
      '--append-system-prompt --tools',
      '--append-system-prompt --tools',
    ],
    [
      'our flag in a value',
      '--append-system-prompt=--tools~Bash',
      '--append-system-prompt=--tools~Bash',
    ],
    [
      'setting sources, repeated',
      '--setting-sources project --verbose --setting-sources=user,local',
      '--verbose',
    ],
    ['autonomy, saved', '--dangerously-skip-permissions', '--dangerously-skip-permissions'],
    ['autonomy, asked for', '-p --permission-mode plan', '-p --dangerously-skip-permissions', true],
    [
      'autonomy, saved and asked for',
      '--dangerously-skip-permissions -p',
      '-p --dangerously-skip-permissions',
      true,
    ],
    ['the other mode', '--permission-mode=plan', '--permission-mode bypassPermissions', 'bypass'],
    ['a flag nobody knows', '--new-flag value', '--new-flag value'],
  ])('%s', (_, saved, left, autonomous) => {
    for (const [level, ours] of [
      ['reflex', reflex],
      ['noShell', noShell],
    ] as const) {
      expect(applyTo('claude', saved, { level, autonomous }).argv).toEqual(withOurs(left, ours));
    }
  });

  test.each<Row>([
    ['an allow list of tools', '--tools Bash,Write -p', '-p'],
    [
      'one of several words, and repeated',
      '--tools Bash Edit --verbose --tools=Write',
      '--verbose',
    ],
  ])('without the shell: %s is replaced, since such lists add up', (_, saved, left) => {
    expect(applyTo('claude', saved).argv).toEqual(withOurs(left, noShell));
  });

  test('a flag nobody knows, standing last, is given something to swallow', () => {
    expect(applyTo('claude', '-p --new-flag', { level: 'reflex' }).argv.slice(0, 5)).toEqual([
      '-p',
      '--new-flag',
      '--setting-sources=user',
      '--setting-sources',
      'user',
    ]);
    expect(applyTo('claude', '-p --new-flag=1', { level: 'reflex' }).argv[2]).toBe(
      '--setting-sources',
    );
  });

  test('a writing step is hardened and nothing more', () => {
    expect(applyTo('claude', '--tools Bash', { level: null, autonomous: true })).toMatchObject({
      argv: [
        '--tools',
        'Bash',
        '--dangerously-skip-permissions',
        '--setting-sources',
        'user',
        '--strict-mcp-config',
      ],
      env: { set: { IS_SANDBOX: '1' } },
    });
  });
});
