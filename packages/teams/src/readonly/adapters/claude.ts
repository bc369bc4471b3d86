/**
 * Claude Code. Denied tools are gone for the agent and its sub-agents, whatever mode it runs in and whatever else is
 * allowed; its plan mode is no restriction at all beside the flag that skips permissions.
 */
import type { Adapter, Addition } from '../adapter.ts';
import { flagsTaking } from '../arguments/grammar.ts';
import { WRITE_COMMANDS } from '../write-commands.ts';

/** Names are case-sensitive: one in the wrong case denies nothing and says nothing. */
const EDIT_TOOLS = ['Edit', 'Write', 'MultiEdit', 'NotebookEdit'];
const REFLEX_RULES = [...EDIT_TOOLS, ...WRITE_COMMANDS.map((command) => `Bash(${command}:*)`)];

function deny(rules: readonly string[]): Addition {
  return { flag: '--disallowedTools', value: rules.join(','), how: 'sum' };
}

export const claude: Adapter = {
  cli: 'claude',
  title: 'Claude Code',
  aliases: ['claude-code'],
  binary: 'claude',
  headless: { argv: ['-p'] },
  modelFlag: '--model',
  grammar: {
    style: 'commander',
    flags: [
      ...flagsTaking(
        'many',
        '--disallowedTools --disallowed-tools, --allowedTools --allowed-tools, --tools, --add-dir, --betas, --file, --mcp-config',
      ),
      ...flagsTaking(
        'one',
        `--permission-mode, --setting-sources, --settings, --model, --agent, --agents, --append-system-prompt,
        --system-prompt, --autocompact, --debug-file, --effort, --environment, --fallback-model, --input-format,
        --json-schema, --max-budget-usd, --name -n, --output-format, --permission-prompts, --plugin-dir, --plugin-url,
        --remote-control-session-name-prefix, --session-id, --system-prompt-snapshot`,
      ),
      ...flagsTaking(
        'maybe_one',
        `--debug -d, --resume -r, --worktree -w, --from-pr, --prompt-suggestions, --remote-control, --teleport, --cloud`,
      ),
      ...flagsTaking(
        'nothing',
        `--print -p, --continue -c, --dangerously-skip-permissions, --allow-dangerously-skip-permissions,
        --strict-mcp-config, --restricted, --safe-mode, --bare, --verbose, --brief, --chrome, --no-chrome, --ide,
        --fork-session, --disable-slash-commands, --include-hook-events, --include-partial-messages,
        --no-session-persistence, --replay-user-messages, --forward-subagent-text, --bg --background, --tmux,
        --version -v, --help -h`,
      ),
    ],
  },
  enforcedBy: 'cli_refusal',
  levels: {
    reflex: {
      adds: [deny(REFLEX_RULES)],
      removes: [],
      refuses: ['write_tool', 'edit_tool', 'git_commit', 'sub_agent'],
      leavesOpen: [
        'a write through `bash -c` or another interpreter',
        'a redirection of the shell such as `echo x > file`',
        'a program that writes and is not in the list',
      ],
    },
    noShell: {
      adds: [
        { flag: '--tools', value: 'Read,Grep,Glob', how: 'single' },
        deny([...REFLEX_RULES, 'Bash']),
      ],
      removes: [],
      refuses: ['write_tool', 'edit_tool', 'shell_redirect', 'bash_c', 'git_commit', 'sub_agent'],
      leavesOpen: ['a write by a tool of an MCP server that the operator configured'],
    },
  },
  verified: [{ version: '2.1.332', levels: ['reflex', 'noShell'] }],
  autonomy: {
    modes: {
      'skip-permissions': {
        adds: [{ flag: '--dangerously-skip-permissions', how: 'single' }],
        // Without it the CLI refuses the flag to root, and a sandbox is what this runs in.
        env: { IS_SANDBOX: '1' },
      },
      bypass: {
        adds: [{ flag: '--permission-mode', value: 'bypassPermissions', how: 'single' }],
        env: { IS_SANDBOX: '1' },
      },
    },
    usual: 'skip-permissions',
    replaces: [{ flag: '--dangerously-skip-permissions' }, { flag: '--permission-mode' }],
    effect: 'outvoted',
  },
  hardening: {
    adds: [
      { flag: '--setting-sources', value: 'user', how: 'single' },
      { flag: '--strict-mcp-config', how: 'single' },
    ],
    removes: [],
    env: { set: {}, unset: [] },
  },
  handOff: { reflex: 'file', noShell: 'last_message' },
  evidence:
    'Deny lists of repeated flags add up, in both spellings and with "="; they beat allowed tools, bypassing modes, user settings and hooks that allow, in sub-agents too. Allow lists (--tools) add up as well, so ours replaces theirs. Single values: the last one wins. Patterns such as Bash(git commit:*) are walked around by `bash -c`. Plan mode with a bypassing flag wrote everything, in either order.',
};
