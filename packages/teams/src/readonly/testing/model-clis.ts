/**
 * What each agent CLI was seen to do with its arguments, in miniature: whether it would start, and whether its model could
 * still write. Written from the measurements and not from the adapters, with options that the adapters do not know.
 */
import type { ReadOnlyLevel } from '../../restriction-words.ts';
import {
  readLikeClap,
  readLikeCommander,
  readLikeYargs,
  type OptionTable,
  type ReadArguments,
  type Reading,
} from './model-parsers.ts';

export interface Start {
  /** What follows the program. */
  args: readonly string[];
  env: Readonly<Record<string, string>>;
  files: ReadonlyMap<string, string>;
}
/** Why the start fails or a write would succeed; undefined when the CLI starts and refuses all that the level claims. */
export type Judge = (start: Start, level: ReadOnlyLevel) => string | undefined;

function all(read: ReadArguments, name: string): string[] {
  return (read.options.get(name) ?? []).flat();
}
function csv(read: ReadArguments, name: string): string[] {
  return all(read, name)
    .flatMap((value) => value.split(/,(?![^(]*\))/))
    .map((item) => item.trim());
}
function has(read: ReadArguments, name: string): boolean {
  return read.options.has(name);
}
function lacking(list: readonly string[], wanted: readonly string[]): string | undefined {
  const missing = wanted.find((item) => !list.includes(item));
  return missing === undefined ? undefined : `${missing} is not denied`;
}
function judged(
  reading: Reading,
  judge: (read: ReadArguments) => string | undefined,
): string | undefined {
  return 'error' in reading ? reading.error : judge(reading);
}

const CLAUDE: OptionTable = {
  '--disallowedTools --disallowed-tools': 'list',
  '--allowedTools --allowed-tools': 'list',
  '--tools': 'list',
  '--mcp-config': 'list',
  '--permission-mode': 'value',
  '--setting-sources': 'value',
  '--model': 'value',
  '--append-system-prompt': 'value',
  '--output-format': 'value',
  '--future-value': 'value',
  '--future-switch': 'switch',
  '--print -p': 'switch',
  '--verbose': 'switch',
  '--dangerously-skip-permissions': 'switch',
  '--strict-mcp-config': 'switch',
};

const judgeClaude: Judge = ({ args }, level) =>
  judged(readLikeCommander(CLAUDE, args), (read) => {
    const denied = csv(read, '--disallowedTools');
    const tools = csv(read, '--tools');
    if (all(read, '--setting-sources').at(-1) !== 'user') return 'settings of the repository count';
    if (!has(read, '--strict-mcp-config')) return 'MCP servers of the repository start';
    if (level === 'noShell' && tools.some((tool) => !['Read', 'Grep', 'Glob'].includes(tool))) {
      return `the tools are ${tools.join()}`;
    }
    return lacking(denied, [
      'Edit',
      'Write',
      'NotebookEdit',
      ...(level === 'noShell' ? ['Bash'] : ['Bash(git commit:*)', 'Bash(rm:*)', 'Bash(sed -i:*)']),
    ]);
  });

const CODEX: OptionTable = {
  '--sandbox -s': 'value',
  '--config -c': 'value',
  '--model -m': 'value',
  '--profile -p': 'value',
  '--cd -C': 'value',
  '--output-last-message -o': 'value',
  '--future-value': 'value',
  '--future-switch': 'switch',
  '--json': 'switch',
  '--skip-git-repo-check': 'switch',
  '--trust': 'switch',
  '--approve-for-me': 'switch',
  '--dangerously-bypass-approvals-and-sandbox --yolo': 'switch',
};

const judgeCodex: Judge = ({ args }) => {
  // The program's own options end where its subcommand begins; each level counts repeats for itself.
  let cut = 0;
  while (cut < args.length && args[cut] !== 'exec') cut += 1;
  const readings = [args.slice(0, cut), args.slice(cut + 1)].map((part) =>
    readLikeClap(CODEX, part, ['--config']),
  );
  let sandbox = 'read-only by default';
  for (const reading of readings) {
    if ('error' in reading) return reading.error;
    if (has(reading, '--dangerously-bypass-approvals-and-sandbox'))
      return 'the sandbox is bypassed';
    if (has(reading, '--trust')) return 'MCP servers of the repository run outside the sandbox';
    if (has(reading, '--approve-for-me') && has(reading, '--sandbox'))
      return 'these two exclude each other';
    sandbox = all(reading, '--sandbox')[0] ?? sandbox;
  }
  return sandbox === 'read-only' ? undefined : `the sandbox is ${sandbox}`;
};

const GROK: OptionTable = {
  '--deny --disallowedTools': 'value',
  '--allow --allowedTools': 'value',
  '--disallowed-tools': 'value',
  '--tools': 'value',
  '--permission-mode': 'value',
  '--prompt-file': 'value',
  '--model -m': 'value',
  '--cwd': 'value',
  '--future-value': 'value',
  '--future-switch': 'switch',
  '--always-approve --yolo --dangerously-skip-permissions': 'switch',
  '--trust': 'switch',
  '--debug': 'switch',
  '--continue -c': 'switch',
};

const judgeGrok: Judge = ({ args, env }, level) =>
  judged(readLikeClap(GROK, args, ['--deny', '--allow']), (read) => {
    if (has(read, '--trust') || env['GROK_FOLDER_TRUST'] === '0')
      return 'the repository is trusted';
    const removed = csv(read, '--disallowed-tools');
    return (
      lacking(all(read, '--deny'), ['Edit', 'Write', ...(level === 'noShell' ? ['Bash'] : [])]) ??
      lacking(removed, [
        'write',
        'search_replace',
        ...(level === 'noShell' ? ['run_terminal_cmd'] : []),
      ])
    );
  });

const OPENCODE: OptionTable = {
  '--agent': 'value',
  '--model -m': 'value',
  '--format': 'value',
  '--file -f': 'list',
  '--future-value': 'value',
  '--auto': 'switch',
  '--dangerously-skip-permissions': 'switch',
  '--print-logs': 'switch',
  '--continue -c': 'switch',
};

function openCodeAllows(permission: unknown, tool: string, input: string): boolean {
  let verdict = 'allow';
  const matches = (pattern: string, text: string): boolean =>
    new RegExp(`^${pattern.replace(/[.+?^${}()|[\]\\]/g, '\\$&').replace(/\*/g, '.*')}$`).test(
      text,
    );
  if (typeof permission !== 'object' || permission === null) return permission !== 'deny';
  for (const [key, rule] of Object.entries(permission)) {
    if (!matches(key, tool)) continue;
    if (typeof rule === 'string') verdict = rule;
    else
      for (const [p, v] of Object.entries(rule as object))
        if (matches(p, input)) verdict = String(v);
  }
  return verdict === 'allow';
}

const judgeOpenCode: Judge = ({ args, env }, level) =>
  judged(readLikeYargs(OPENCODE, args), (read) => {
    if (all(read, '--model').length > 1) return 'j.split is not a function';
    if (env['OPENCODE_DISABLE_PROJECT_CONFIG'] !== '1')
      return 'opencode.json of the repository counts';
    const config: { agent?: { build?: { permission?: unknown } } } = JSON.parse(
      env['OPENCODE_CONFIG_CONTENT'] ?? '{}',
    );
    // An agent's own permission comes last, and an unknown agent is the default one.
    const given = Object.entries(JSON.parse(env['OPENCODE_PERMISSION'] ?? '{}') as object);
    const own = Object.entries(config.agent?.build?.permission ?? {});
    const permission = Object.fromEntries([...given, ...own]);
    if (all(read, '--agent').length > 0) return 'the agent has permissions of its own';
    const tries: [string, string][] = [
      ['edit', 'a.ts'],
      ['task', 'general'],
      ['bash', 'git commit -m x'],
      ['bash', 'rm a.ts'],
      ...(level === 'noShell' ? ([['bash', 'echo x']] as [string, string][]) : []),
    ];
    const open = tries.find(([tool, input]) => openCodeAllows(permission, tool, input));
    return open === undefined ? undefined : `${open.join(' ')} is allowed`;
  });

const GEMINI: OptionTable = {
  '--policy': 'list',
  '--admin-policy': 'list',
  '--allowed-tools': 'list',
  '--extensions -e': 'list',
  '--approval-mode': 'value',
  '--model -m': 'value',
  '--output-format -o': 'value',
  '--future-value': 'value',
  '--yolo -y': 'switch',
  '--debug -d': 'switch',
  '--skip-trust': 'switch',
};

const judgeGemini: Judge = ({ args, env, files }, level) =>
  judged(readLikeYargs(GEMINI, args), (read) => {
    if (all(read, '--approval-mode').length > 1) return 'Invalid approval mode';
    if (has(read, '--yolo') && has(read, '--approval-mode'))
      return 'yolo and a mode exclude each other';
    if (!has(read, '--skip-trust')) return 'exit 55: the folder is not trusted';
    if (env['GEMINI_CLI_TRUST_WORKSPACE'] === 'true') return 'the repository is trusted';
    const rules = csv(read, '--admin-policy')
      .map((path) => files.get(path) ?? '')
      .join('\n');
    const denied = [...rules.matchAll(/toolName = "(\w+)"\ndecision = "deny"/g)].map(
      (m) => m[1] ?? '',
    );
    return lacking(denied, [
      'write_file',
      'replace',
      ...(level === 'noShell' ? ['run_shell_command'] : []),
    ]);
  });

const COPILOT: OptionTable = {
  '--excluded-tools': 'maybe_list',
  '--available-tools': 'maybe_list',
  '--deny-tool': 'maybe_list',
  '--allow-tool': 'maybe_list',
  '--model': 'value',
  '--prompt -p': 'value',
  '--output-format': 'value',
  '--future-value': 'value',
  '--future-switch': 'switch',
  '--yolo': 'switch',
  '--allow-all': 'switch',
  '--allow-all-tools': 'switch',
  '--trust-folder': 'switch',
  '--no-color': 'switch',
};

const judgeCopilot: Judge = ({ args, env }, level) =>
  judged(
    readLikeClap(
      COPILOT,
      args,
      Object.keys(COPILOT).map((n) => n.split(' ')[0] ?? ''),
    ),
    (read) => {
      if (has(read, '--trust-folder') || env['COPILOT_ALLOW_ALL'] === 'true')
        return 'the repository is trusted';
      const builtIn = [
        'view',
        'grep',
        'glob',
        'bash',
        'create',
        'edit',
        'apply_patch',
        'task',
        'write_bash',
      ];
      const available = csv(read, '--available-tools');
      // With a list of available tools the excluded ones are ignored.
      const seen = has(read, '--available-tools')
        ? builtIn.filter((tool) => available.includes(tool))
        : builtIn.filter((tool) => !csv(read, '--excluded-tools').includes(tool));
      const harmless = [
        'view',
        'grep',
        'glob',
        ...(level === 'noShell' ? [] : ['bash', 'write_bash']),
      ];
      const open = seen.find((tool) => !harmless.includes(tool));
      if (open !== undefined) return `${open} is in sight`;
      return lacking(csv(read, '--deny-tool'), ['write', 'shell(git commit)', 'shell(rm)']);
    },
  );

const QWEN: OptionTable = {
  '--exclude-tools': 'list',
  '--core-tools': 'list',
  '--allowed-tools': 'list',
  '--approval-mode': 'value',
  '--model -m': 'value',
  '--output-format -o': 'value',
  '--future-value': 'value',
  '--yolo -y': 'switch',
  '--debug -d': 'switch',
  '--safe-mode': 'switch',
};

const judgeQwen: Judge = ({ args }, level) =>
  judged(readLikeYargs(QWEN, args), (read) => {
    if (all(read, '--approval-mode').length > 1 || all(read, '--model').length > 1)
      return 'value.trim is not a function';
    if (has(read, '--yolo') && has(read, '--approval-mode'))
      return 'yolo and a mode exclude each other';
    if (!has(read, '--safe-mode')) return 'hooks of the repository run';
    const excluded = csv(read, '--exclude-tools');
    return lacking(excluded, [
      'write_file',
      'edit',
      ...(level === 'noShell' ? ['run_shell_command'] : []),
    ]);
  });

export const MODEL_CLIS: Readonly<Record<string, Judge>> = {
  claude: judgeClaude,
  codex: judgeCodex,
  grok: judgeGrok,
  opencode: judgeOpenCode,
  gemini: judgeGemini,
  copilot: judgeCopilot,
  qwen: judgeQwen,
};
