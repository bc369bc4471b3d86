/**
 * Qwen Code. Excluded tools are gone beside every approving flag and in sub-agents. It trusts a repository by default, so
 * its safe mode is switched on for every step.
 */
import type { Adapter, Addition } from '../adapter.ts';
import { flagsTaking } from '../arguments/grammar.ts';

const EDIT_TOOLS = ['write_file', 'edit', 'notebook_edit'];

function exclude(tools: readonly string[]): Addition {
  return { flag: '--exclude-tools', value: tools.join(','), how: 'sum' };
}

export const qwen: Adapter = {
  cli: 'qwen',
  title: 'Qwen Code',
  aliases: ['qwen-code'],
  binary: 'qwen',
  headless: { argv: [] },
  modelFlag: '-m',
  grammar: {
    style: 'yargs',
    flags: [
      ...flagsTaking(
        'one',
        `--approval-mode, --model -m, --prompt -p, --prompt-interactive -i, --system-prompt, --append-system-prompt,
        --output-style, --sandbox-image, --channel, --mcp-config, --openai-logging-dir, --openai-api-key,
        --openai-base-url, --input-format, --output-format -o, --json-fd, --json-file, --json-schema, --input-file,
        --resume -r, --session-id, --worktree, --max-session-turns, --max-wall-time, --max-tool-calls,
        --max-subagent-depth, --auth-type, --proxy, --telemetry-target, --telemetry-otlp-endpoint,
        --telemetry-otlp-protocol, --telemetry-outfile`,
      ),
      ...flagsTaking(
        'many',
        `--exclude-tools, --core-tools, --allowed-tools, --allowed-mcp-server-names, --extensions -e, --fallback-model,
        --include-directories --add-dir, --disabled-slash-commands`,
      ),
      ...flagsTaking(
        'nothing',
        `--yolo -y, --safe-mode, --bare, --debug -d, --sandbox -s, --telemetry, --telemetry-log-prompts, --insecure,
        --chat-recording, --acp, --experimental-lsp, --restore-ask-user-question, --list-extensions -l,
        --openai-logging, --screen-reader, --include-partial-messages, --continue -c, --fork-session, --version -v,
        --help -h`,
      ),
    ],
  },
  enforcedBy: 'cli_refusal',
  levels: {
    reflex: {
      adds: [exclude(EDIT_TOOLS)],
      removes: [],
      refuses: ['write_tool', 'edit_tool', 'shell_redirect'],
      leavesOpen: [
        'git: `git commit` ran when only the edit tools were excluded',
        'the commands that exist only to change files, and programs that write',
        'its own settings file in the repository, which it rewrites by itself',
      ],
      note: 'It refuses redirections of the shell too, so tests that are run through one fail.',
    },
    noShell: {
      adds: [exclude([...EDIT_TOOLS, 'run_shell_command'])],
      removes: [],
      refuses: ['write_tool', 'edit_tool', 'shell_redirect', 'bash_c', 'git_commit', 'sub_agent'],
      leavesOpen: ['its own settings file in the repository, which it rewrites by itself'],
    },
  },
  verified: [{ version: '0.24.4', levels: ['reflex', 'noShell'] }],
  autonomy: {
    modes: {
      yolo: { adds: [{ flag: '--yolo', how: 'single' }] },
      'auto-edit': { adds: [{ flag: '--approval-mode', value: 'auto-edit', how: 'single' }] },
    },
    usual: 'yolo',
    // Two of these end the start: exit 1, or a crash.
    replaces: [{ flag: '--yolo' }, { flag: '--approval-mode' }],
    effect: 'outvoted',
  },
  hardening: {
    adds: [{ flag: '--safe-mode', how: 'single' }],
    removes: [],
    env: { set: {}, unset: [] },
  },
  handOff: { reflex: 'last_message', noShell: 'last_message' },
  evidence:
    'Lists of --exclude-tools add up (repeated, with commas, with spaces, as --excludeTools) and beat --yolo, --allowed-tools and what the repository permits, in sub-agents too; the flag swallows words that follow it, so ours comes after all of them. --approval-mode twice or -m twice crashes, plan beside --yolo exits 1. Plan mode wrote what the repository permitted. Hooks and MCP servers of a repository run unless --safe-mode or --bare is given. A prompt after `--` is not read.',
};
