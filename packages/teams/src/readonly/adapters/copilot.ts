/**
 * Copilot CLI. Excluded tools are out of the model's sight, even against hooks of a trusted repository that allow them; but
 * a list of available tools makes it ignore the excluded ones, so none of theirs may stay.
 */
import type { Adapter, Addition } from '../adapter.ts';
import { flagsTaking } from '../arguments/grammar.ts';
import { FILE_WRITE_COMMANDS, GIT_WRITE_SUBCOMMANDS } from '../write-commands.ts';

const EDIT_TOOLS = ['create', 'edit', 'apply_patch', 'str_replace_editor', 'task'];
const SHELL_TOOLS = ['bash', 'write_bash'];
/** It knows git commands by their first subcommand; `sed -i` it cannot tell from reading with sed. */
const RULES = [
  'write',
  ...GIT_WRITE_SUBCOMMANDS.map((sub) => `shell(git ${sub})`),
  ...FILE_WRITE_COMMANDS.map((command) => `shell(${command})`),
];

function exclude(tools: readonly string[]): Addition {
  return { flag: '--excluded-tools', value: tools.join(','), how: 'sum' };
}
const DENY: Addition = { flag: '--deny-tool', value: RULES.join(','), how: 'sum' };

export const copilot: Adapter = {
  cli: 'copilot',
  title: 'Copilot CLI',
  aliases: ['copilot-cli', 'github-copilot'],
  binary: 'copilot',
  headless: { argv: [] },
  modelFlag: '--model',
  grammar: {
    style: 'clap',
    flags: [
      ...flagsTaking(
        'one',
        `--prompt -p, --interactive -i, --model, --reasoning-effort, --context, --auto-tier, --agent, --name -n,
        --session-id, -C, --log-dir, --extension-sdk-path, --log-level, --stream, --output-format, --add-dir,
        --attachment, --disable-mcp-server, --enable-mcp-server, --add-github-mcp-toolset, --add-github-mcp-tool,
        --plugin-dir, --additional-mcp-config, --mcp-github-auth, --max-autopilot-continues, --mode,
        --environment-host, --environment-compute-id, --dynamic-retrieval, --max-ai-credits, --usage-output-file`,
      ),
      ...flagsTaking('maybe_one', '--resume -r, --connect, --share, --bash-env, --mouse'),
      ...flagsTaking(
        'maybe_many',
        `--excluded-tools, --available-tools, --deny-tool, --allow-tool, --secret-env-vars, --allow-url, --deny-url`,
      ),
      ...flagsTaking(
        'nothing',
        `--yolo, --allow-all, --allow-all-tools, --allow-all-paths, --allow-all-urls, --trust-folder, --plan,
        --autopilot, --fleet, --silent -s, --disable-client-telemetry, --enable-memory, --continue, --disallow-temp-dir,
        --banner, --screen-reader, --plain-diff, --share-gist, --disable-builtin-mcps, --enable-all-github-mcp-tools,
        --allow-all-mcp-server-instructions, --experimental, --acp, --remote, --remote-export, --assisted-approval,
        --no-custom-instructions, --no-auto-update, --no-ask-user, --no-color, --no-experimental, --no-bash-env,
        --no-mouse, --no-remote, --no-remote-export, --no-eager-powershell-resolution, --sandbox, --version -v, --help -h`,
      ),
    ],
  },
  enforcedBy: 'cli_refusal',
  levels: {
    reflex: {
      adds: [exclude(EDIT_TOOLS), DENY],
      removes: [{ flag: '--available-tools' }],
      refuses: ['write_tool', 'edit_tool', 'sub_agent'],
      leavesOpen: [
        'a redirection of the shell, `bash -c`, `sed -i`, and programs that write and are not in the list',
        'the listed commands, as far as their patterns have not been seen to refuse in a run',
      ],
    },
    noShell: {
      adds: [
        exclude([...EDIT_TOOLS, ...SHELL_TOOLS]),
        DENY,
        { flag: '--available-tools', value: 'view,grep,glob', how: 'single' },
      ],
      removes: [],
      refuses: ['write_tool', 'edit_tool', 'shell_redirect', 'bash_c', 'git_commit', 'sub_agent'],
      leavesOpen: ['a write by a tool of an MCP server that the operator configured'],
    },
  },
  verified: [{ version: '1.0.102', levels: ['reflex', 'noShell'] }],
  autonomy: {
    modes: {
      yolo: { adds: [{ flag: '--yolo', how: 'single' }] },
      'all-tools': { adds: [{ flag: '--allow-all-tools', how: 'single' }] },
    },
    usual: 'yolo',
    replaces: [{ flag: '--yolo' }, { flag: '--allow-all' }, { flag: '--allow-all-tools' }],
    effect: 'outvoted',
  },
  hardening: {
    adds: [],
    removes: [{ flag: '--trust-folder' }],
    env: { set: {}, unset: ['COPILOT_ALLOW_ALL'] },
  },
  refuses: { flags: ['--connect'], words: [] },
  handOff: { reflex: 'file', noShell: 'last_message' },
  evidence:
    'All list flags add up (repeated, with commas, with "=", with spaces). --excluded-tools, and --available-tools view,grep,glob, held beside --yolo and against hooks of the repository; of both together the available list alone counts, so ours replaces theirs. --deny-tool in a trusted folder is overridden by a hook that allows; patterns such as shell(git:*) are walked around by `bash -c`. Plan mode with --yolo committed. --trust-folder, and COPILOT_ALLOW_ALL of exactly "true", trust the repository.',
};
