/** The agent CLIs that read their arguments like yargs, in miniature: see model-clis.ts. */
import { all, csv, has, judged, lacking, type Judge } from './judge.ts';
import { readLikeYargs, type OptionTable } from './model-parsers.ts';

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

/** OpenCode: permissions by the environment, the last rule that matches counts. */
export const judgeOpenCode: Judge = ({ args, env }, level) =>
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

/** Gemini CLI: a policy file of the administrator's tier. */
export const judgeGemini: Judge = ({ args, env, files }, level) =>
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

/** Qwen Code: excluded tools. */
export const judgeQwen: Judge = ({ args }, level) =>
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
