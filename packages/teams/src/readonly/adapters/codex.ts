/**
 * Codex. Its read-only sandbox is the kernel's work and holds for every command, but a repeated flag ends the start and the
 * flag that bypasses the sandbox beats it in any position, so both are taken out before ours is added once.
 */
import type { Adapter, LevelRule } from '../adapter.ts';
import { flagsTaking } from '../arguments/grammar.ts';

/** Whether a `key=value` of the configuration speaks of the sandbox, in the root or in a profile. */
function setsSandbox(override: string): boolean {
  const key = override.split('=', 1)[0]?.replace(/[\s"']/g, '') ?? '';
  return /(?:^|\.)(?:sandbox_mode|sandbox_workspace_write)(?:\.|$)/.test(key);
}

const RULE: LevelRule = {
  adds: [{ flag: '-s', value: 'read-only', how: 'single' }],
  removes: [
    { flag: '--config', when: setsSandbox },
    { flag: '--dangerously-bypass-approvals-and-sandbox' },
    { flag: '--full-auto' },
    { flag: '--approve-for-me' },
  ],
  refuses: ['write_tool', 'edit_tool', 'shell_redirect', 'bash_c', 'git_commit'],
  leavesOpen: [
    'what an MCP server does, which runs outside the sandbox of Codex when the operator configured one',
  ],
  note: 'Its sandbox also stops tests, linters and builds from writing caches and output, in the tree, in /tmp and in $TMPDIR.',
};

export const codex: Adapter = {
  cli: 'codex',
  title: 'Codex',
  aliases: ['codex-cli'],
  binary: 'codex',
  headless: { argv: ['exec', '-'] },
  modelFlag: '-m',
  grammar: {
    style: 'clap',
    flags: [
      ...flagsTaking(
        'one',
        `--sandbox -s, --config -c, --model -m, --profile -p, --cd -C, --add-dir, --enable, --disable, --remote,
        --remote-auth-token-env, --local-provider, --ask-for-approval -a, --thread-source, --cyber-access-program,
        --output-schema, --color, --output-last-message -o`,
      ),
      ...flagsTaking('many', '--image -i'),
      ...flagsTaking(
        'nothing',
        `--dangerously-bypass-approvals-and-sandbox --yolo, --full-auto, --approve-for-me, --trust,
        --dangerously-bypass-hook-trust, --strict-config, --oss, --worktree, --search, --no-alt-screen, --no-daemon,
        --skip-git-repo-check, --ephemeral, --ignore-user-config, --ignore-rules, --json, --help -h, --version -V`,
      ),
    ],
  },
  enforcedBy: 'os_sandbox',
  levels: {
    reflex: RULE,
    noShell: {
      ...RULE,
      leavesOpen: [
        'the shell itself: no flag of Codex takes it away, its sandbox refuses what the shell would write',
        ...RULE.leavesOpen,
      ],
    },
  },
  verified: [{ version: '0.171.0', levels: ['reflex', 'noShell'] }],
  autonomy: {
    modes: {
      bypass: { adds: [{ flag: '--dangerously-bypass-approvals-and-sandbox', how: 'single' }] },
    },
    usual: 'bypass',
    replaces: [
      { flag: '--dangerously-bypass-approvals-and-sandbox' },
      { flag: '--full-auto' },
      { flag: '--approve-for-me' },
    ],
    effect: 'removed',
  },
  hardening: {
    adds: [],
    removes: [{ flag: '--trust' }, { flag: '--dangerously-bypass-hook-trust' }],
    env: { set: {}, unset: [] },
  },
  refuses: {
    flags: ['--remote'],
    words: ['resume', 'fork', 'review', 'apply', 'a', 'cloud', 'queue', 'agents'],
  },
  handOff: { reflex: 'last_message', noShell: 'last_message' },
  evidence:
    "A repeated -s, --sandbox or -m at one level exits 2, also with the same value or in mixed spellings; at two levels (before and after `exec`) the later one counts. -s beats -c, profiles, the user's and the repository's configuration. --dangerously-bypass-approvals-and-sandbox (hidden: --yolo) beside -s read-only wrote everything, in any order, so it is removed. --approve-for-me beside -s exits 2; --full-auto no longer exists. `exec resume` does not take -s. --trust is saved and lets MCP servers of the repository run outside the sandbox.",
};
