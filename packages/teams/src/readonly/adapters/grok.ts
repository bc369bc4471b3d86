/**
 * Grok CLI. Deny rules hold beside every approving flag. Its parser ends the start at a repeated flag, and two options that
 * differ in one letter's case (`--disallowedTools`, `--disallowed-tools`) mean different things.
 */
import type { Adapter, Addition } from '../adapter.ts';
import { flagsTaking } from '../arguments/grammar.ts';
import { FILE_WRITE_COMMANDS, GIT_WRITE_SUBCOMMANDS } from '../write-commands.ts';

/** No more than these: a rule for a kind of tool that it does not have ends the start. */
const EDIT_RULES = ['Edit', 'Write'];
/** Its own file tools, by the ids under which they can be removed. */
const FILE_TOOLS = ['search_replace', 'write', 'hashline_edit'];

/** A rule is also a prefix without a word border: `Bash(mv)` would refuse mvn, and `Bash(git merge*)` git merge-base. */
const SHELL_RULES = [
  ...GIT_WRITE_SUBCOMMANDS.map((sub) => `Bash(git ${sub}${sub === 'merge' ? ' *' : '*'})`),
  ...FILE_WRITE_COMMANDS.map((command) => `Bash(${command} *)`),
  'Bash(sed -i*)',
];

function deny(rules: readonly string[]): Addition[] {
  return rules.map((value) => ({ flag: '--deny', value, how: 'sum' }));
}
function removeTools(tools: readonly string[]): Addition {
  return { flag: '--disallowed-tools', value: tools.join(','), how: 'merge' };
}

export const grok: Adapter = {
  cli: 'grok',
  title: 'Grok CLI',
  aliases: ['grok-cli', 'grok-build'],
  binary: 'grok',
  headless: { argv: [], promptFlag: '--prompt-file' },
  modelFlag: '-m',
  grammar: {
    style: 'clap',
    flags: [
      ...flagsTaking(
        'one',
        `--deny --disallowedTools, --allow --allowedTools, --disallowed-tools, --tools, --permission-mode, --sandbox,
        --model -m, --agent, --agents, --cwd, --debug-file, --json-schema, --leader-socket, --max-turns, --output-format,
        --single -p, --prompt-file, --prompt-json, --reasoning-effort --effort, --rules, --session-id -s,
        --system-prompt-override --system-prompt, --worktree-ref --ref`,
      ),
      ...flagsTaking('maybe_one', '--resume -r, --worktree -w'),
      ...flagsTaking(
        'nothing',
        `--always-approve --yolo --dangerously-skip-permissions, --trust, --continue -c, --debug, --disable-web-search,
        --fork-session, --fullscreen, --include-partial-messages, --minimal, --no-alt-screen, --no-plan, --no-subagents,
        --oauth, --restore-code, --verbatim, --help -h, --version -v`,
      ),
    ],
  },
  enforcedBy: 'cli_refusal',
  levels: {
    reflex: {
      adds: [...deny([...EDIT_RULES, ...SHELL_RULES]), removeTools(FILE_TOOLS)],
      removes: [],
      refuses: ['write_tool', 'edit_tool'],
      leavesOpen: [
        'a redirection of the shell, `bash -c`, and programs that write and are not in the list',
        'the listed commands, as far as their patterns have not been seen to refuse in a run',
      ],
    },
    noShell: {
      adds: [
        ...deny([...EDIT_RULES, ...SHELL_RULES, 'Bash']),
        // The id to remove is not the name that the model sees, run_terminal_command.
        removeTools([...FILE_TOOLS, 'run_terminal_cmd', 'Agent']),
      ],
      removes: [],
      refuses: ['write_tool', 'edit_tool', 'shell_redirect', 'bash_c', 'git_commit', 'sub_agent'],
      leavesOpen: ['a write by a tool of an MCP server that the operator configured'],
    },
  },
  verified: [{ version: '1.0.41', levels: ['reflex', 'noShell'] }],
  autonomy: {
    modes: {
      'always-approve': { adds: [{ flag: '--always-approve', how: 'single' }] },
      bypass: { adds: [{ flag: '--permission-mode', value: 'bypassPermissions', how: 'single' }] },
    },
    usual: 'always-approve',
    replaces: [{ flag: '--always-approve' }, { flag: '--permission-mode' }],
    effect: 'outvoted',
  },
  hardening: {
    adds: [],
    removes: [{ flag: '--trust' }],
    env: { set: {}, unset: ['GROK_FOLDER_TRUST'] },
  },
  handOff: { reflex: 'file', noShell: 'last_message' },
  evidence:
    "Repeating --sandbox, --tools, --disallowed-tools, --permission-mode or --always-approve exits 2; --allow and --deny may be repeated. --deny Write, Edit and Bash held beside --always-approve, --allow, hooks and settings of the repository, in sub-agents too; names in the wrong case are ignored, and a rule for a tool that it does not know (NotebookEdit) exits 1. --sandbox read-only leaves /tmp open by design and is not relied on. Without approval the first refused call ends the turn with exit 0 and no output. An untrusted repository's hooks and MCP servers do not run; --trust and GROK_FOLDER_TRUST=0 let them.",
};
