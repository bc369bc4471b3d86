/**
 * OpenCode. Its rule goes by the environment: a repeated `--agent` falls back to the writing agent without a word, and only
 * with the repository's configuration switched off do permissions given from outside hold.
 */
import type { Adapter } from '../adapter.ts';
import { flagsTaking } from '../arguments/grammar.ts';
import { openCodeEnvironment } from './opencode-permission.ts';

export const opencode: Adapter = {
  cli: 'opencode',
  title: 'OpenCode',
  aliases: ['opencode-ai'],
  binary: 'opencode',
  headless: { argv: ['run'] },
  modelFlag: '-m',
  grammar: {
    style: 'yargs',
    flags: [
      ...flagsTaking(
        'one',
        `--agent, --model -m, --log-level, --command, --session -s, --format, --title, --attach, --password -p,
        --username -u, --dir, --port, --variant`,
      ),
      ...flagsTaking('many', '--file -f'),
      ...flagsTaking(
        'nothing',
        `--auto, --dangerously-skip-permissions, --print-logs, --pure, --continue -c, --fork, --share, --thinking,
        --interactive -i, --help -h, --version -v`,
      ),
    ],
  },
  enforcedBy: 'cli_refusal',
  levels: {
    reflex: {
      adds: [],
      removes: [{ flag: '--agent' }, { flag: '--dangerously-skip-permissions' }],
      refuses: ['write_tool', 'edit_tool'],
      leavesOpen: [
        'a redirection of the shell, `bash -c`, and programs that write and are not in the list',
        'the listed commands, as far as their patterns have not been seen to refuse in a run',
      ],
    },
    noShell: {
      adds: [],
      removes: [{ flag: '--agent' }, { flag: '--dangerously-skip-permissions' }],
      refuses: ['write_tool', 'edit_tool', 'shell_redirect', 'bash_c', 'git_commit', 'sub_agent'],
      leavesOpen: ["a permission that the operator's own configuration gives to an agent by name"],
    },
  },
  verified: [{ version: '1.18.33', levels: ['noShell'] }],
  autonomy: {
    modes: { auto: { adds: [{ flag: '--auto', how: 'single' }] } },
    usual: 'auto',
    replaces: [{ flag: '--auto' }],
    effect: 'outvoted',
  },
  hardening: {
    adds: [],
    removes: [],
    env: { set: { OPENCODE_DISABLE_PROJECT_CONFIG: '1' }, unset: [] },
  },
  readOnlyEnvironment: openCodeEnvironment,
  refuses: { flags: ['--attach'], words: ['serve', 'web', 'attach', 'acp', 'github', 'pr'] },
  handOff: { reflex: 'file', noShell: 'last_message' },
  evidence:
    'By default everything is written without asking. OPENCODE_PERMISSION held only with OPENCODE_DISABLE_PROJECT_CONFIG=1; otherwise opencode.json of the repository overrides it and its plugins and MCP servers run. --agent plan leaves the shell open. Two --agent make one unknown name, and an unknown agent is silently the default one, which writes: no --agent is passed to a read-only step. A permission of an agent beats OPENCODE_PERMISSION. A repeated -m ends in a crash. With task allowed the sub-agent wrote.',
};
