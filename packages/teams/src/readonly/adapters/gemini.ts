/**
 * Gemini CLI. Its policy engine takes tools away by a file of rules, which beats the autonomous flag and what a trusted
 * repository allows; its plan mode does not.
 */
import type { ReadOnlyLevel } from '../../restriction-words.ts';
import type { Adapter } from '../adapter.ts';
import { flagsTaking } from '../arguments/grammar.ts';
import { WRITE_COMMANDS } from '../write-commands.ts';

const EDIT_TOOLS = ['write_file', 'replace'];

function policy(level: ReadOnlyLevel): string {
  const tools = level === 'noShell' ? [...EDIT_TOOLS, 'run_shell_command'] : EDIT_TOOLS;
  const prefixes = WRITE_COMMANDS.map((command) => `"${command}"`).join(', ');
  const rules = [
    ...tools.map((tool) => `toolName = "${tool}"`),
    ...(level === 'reflex'
      ? [`toolName = "run_shell_command"\ncommandPrefix = [${prefixes}]`]
      : []),
  ];
  return rules.map((rule) => `[[rule]]\n${rule}\ndecision = "deny"\npriority = 999\n`).join('\n');
}

export const gemini: Adapter = {
  cli: 'gemini',
  title: 'Gemini CLI',
  aliases: ['gemini-cli'],
  binary: 'gemini',
  headless: { argv: [] },
  modelFlag: '-m',
  grammar: {
    style: 'yargs',
    flags: [
      ...flagsTaking(
        'one',
        `--approval-mode, --model -m, --prompt -p, --prompt-interactive -i, --worktree -w, --resume -r, --session-file,
        --session-id, --delete-session, --output-format -o`,
      ),
      ...flagsTaking(
        'many',
        `--policy, --admin-policy, --allowed-tools, --allowed-mcp-server-names, --extensions -e, --include-directories`,
      ),
      ...flagsTaking(
        'nothing',
        `--yolo -y, --skip-trust, --debug -d, --sandbox -s, --acp, --experimental-acp, --list-extensions -l,
        --list-sessions, --screen-reader, --raw-output, --accept-raw-output-risk, --version -v, --help -h`,
      ),
    ],
  },
  enforcedBy: 'cli_refusal',
  levels: {
    reflex: {
      adds: [],
      removes: [],
      refuses: ['write_tool', 'edit_tool'],
      leavesOpen: [
        'a redirection of the shell, `bash -c`, and programs that write and are not in the list',
        'the listed commands, as far as their rules have not been seen to refuse in a run',
      ],
    },
    noShell: {
      adds: [],
      removes: [],
      refuses: ['write_tool', 'edit_tool', 'shell_redirect', 'bash_c', 'git_commit'],
      leavesOpen: ['a write by a tool of an MCP server that the operator configured'],
    },
  },
  verified: [{ version: '0.61.0', levels: ['reflex', 'noShell'] }],
  autonomy: {
    modes: {
      yolo: { adds: [{ flag: '--yolo', how: 'single' }] },
      'auto-edit': { adds: [{ flag: '--approval-mode', value: 'auto_edit', how: 'single' }] },
    },
    usual: 'yolo',
    // Each of these beside the other, or twice, exits 1.
    replaces: [{ flag: '--yolo' }, { flag: '--approval-mode' }],
    effect: 'outvoted',
  },
  hardening: {
    adds: [{ flag: '--skip-trust', how: 'single' }],
    removes: [],
    env: { set: {}, unset: ['GEMINI_CLI_TRUST_WORKSPACE'] },
  },
  readOnlyFile: (level) => ({ name: 'gemini-read-only.toml', content: policy(level) }),
  // The administrator's tier beats a policy of the user; it is ignored where the image has one of its own, hence both.
  fileFlags: ['--policy', '--admin-policy'],
  handOff: { reflex: 'file', noShell: 'last_message' },
  evidence:
    'A policy that denies write_file, replace and run_shell_command held beside --yolo, as --policy and as --admin-policy, also against tools that a trusted repository allows. Denying only the edit tools leaves the shell. Plan mode with an allowed shell committed. --approval-mode beside --yolo, or twice, exits 1. An untrusted folder does not run at all; with --skip-trust it runs and hooks, MCP servers and settings of the repository are not loaded, with GEMINI_CLI_TRUST_WORKSPACE they are.',
};
