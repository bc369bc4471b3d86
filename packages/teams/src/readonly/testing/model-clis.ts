/**
 * What each agent CLI was seen to do with its arguments, in miniature: whether it would start, and whether its model could
 * still write. Written from the measurements and not from the adapters, with options that the adapters do not know.
 */
import { all, csv, has, judged, lacking, type Judge } from './judge.ts';
import { readLikeClap, readLikeCommander, type OptionTable } from './model-parsers.ts';
import { judgeGemini, judgeOpenCode, judgeQwen } from './model-yargs-clis.ts';

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
    const kinds = ['Bash', 'Read', 'Edit', 'Write', 'Grep', 'WebFetch'];
    const strange = all(read, '--deny').find((rule) => !kinds.includes(rule.split('(')[0] ?? ''));
    if (strange !== undefined) return `unsupported tool prefix: ${strange}`;
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

export const MODEL_CLIS: Readonly<Record<string, Judge>> = {
  claude: judgeClaude,
  codex: judgeCodex,
  grok: judgeGrok,
  opencode: judgeOpenCode,
  gemini: judgeGemini,
  copilot: judgeCopilot,
  qwen: judgeQwen,
};
