/**
 * Saved arguments by chance, for each agent CLI: neutral ones, ones that loosen a step in every spelling, and ones that only
 * look like it. A list is one that the CLI would start with, apart from what the read-only rule itself has to clear away.
 */
import fc from 'fast-check';

export interface Fragment {
  tokens: readonly string[];
  /** Whether it must come through as it is. */
  neutral: boolean;
}
interface Vocabulary {
  /** Written by hand, one fragment a string, its arguments by spaces; `_` stands for a space within one. */
  neutral: readonly string[];
  loosening: readonly string[];
  /** Fragments of which a list may hold one each, since a repeat is an error that the rule does not concern. */
  once?: readonly string[];
}

const VOCABULARIES: Readonly<Record<string, Vocabulary>> = {
  claude: {
    neutral: [
      '--verbose',
      '--model opus',
      '--model --tools',
      '--append-system-prompt --disallowedTools',
      'fix_it',
      '--append-system-prompt use_--dangerously-skip-permissions',
      '--allowedTools Edit Bash',
      '--allowedTools=Write,Bash',
      '--disallowedTools WebFetch',
      '--disallowed-tools=WebSearch,Task',
      '--future-switch',
      '--future-value x',
      '--output-format=json',
      '--disallowedTools Edit',
      '--mcp-config a.json',
    ],
    loosening: [
      '--setting-sources user,project',
      '--setting-sources=project',
      '--strict-mcp-config',
      '--setting-sources local --setting-sources project',
    ],
  },
  codex: {
    neutral: [
      '-c model="a"',
      '-c note=--yolo',
      '--config=sandbox=x',
      '-csome.key=sandbox_mode',
      'fix_it',
      '-c x=-s',
      '--config features.a=true',
    ],
    loosening: [
      '-s workspace-write',
      '-sdanger-full-access',
      '-s=workspace-write',
      '--sandbox danger-full-access',
      '--sandbox=workspace-write',
      '-s read-only',
      '--yolo',
      '--dangerously-bypass-approvals-and-sandbox',
      '--trust',
      '--approve-for-me',
      '-c sandbox_mode="danger-full-access"',
      '-csandbox_mode=workspace-write',
      '--config=sandbox_mode="workspace-write"',
      '-c profiles.x.sandbox_mode="danger-full-access"',
    ],
    once: [
      '--json',
      '-C /tree',
      '-p fast',
      '-o /out/last',
      '--future-switch',
      '--future-value y',
      '-m gpt',
    ],
  },
  grok: {
    neutral: [
      '--deny WebFetch',
      '--allow Edit',
      '--disallowedTools Read',
      '--allow=Bash(git_*)',
      'fix_it',
    ],
    loosening: [
      '--trust',
      '--disallowed-tools web_search',
      '--disallowed-tools=todo,write',
      '--deny Edit',
      '--disallowedTools=Write',
    ],
    once: [
      '--cwd /tree',
      '-c',
      '--debug',
      '--future-switch',
      '--future-value z',
      '--prompt-file /in/p',
      '-m grok',
      '--tools read_file,write,run_terminal_cmd',
      '--permission-mode bypassPermissions',
      '--yolo',
    ],
  },
  opencode: {
    neutral: [
      '--print-logs',
      '--format json',
      '-f a.ts b.ts',
      'fix_it',
      '--future-value x',
      '-c',
      '--format=--agent',
    ],
    loosening: [
      '--agent build',
      '--agent=plan',
      '--agent plan --agent build',
      '--dangerously-skip-permissions',
      '--auto',
    ],
    once: ['-m x/y'],
  },
  gemini: {
    neutral: [
      '--policy /their/allow.toml',
      '--allowed-tools run_shell_command write_file',
      '--allowedTools=replace',
      '-d',
      '-o json',
      'fix_it',
      '--future-value x',
      '-e a b',
      '--admin-policy=/their/other.toml',
      '-m pro',
    ],
    loosening: ['--skip-trust', '--skipTrust', '--skip-trust false'],
    once: ['--approval-mode auto_edit'],
  },
  copilot: {
    neutral: [
      '--allow-tool write',
      '--allow-tool=shell',
      '--deny-tool=shell(curl)',
      '--excluded-tools web_fetch',
      '--no-color',
      '-p do_it',
      '--model x',
      '--future-switch',
      '--future-value x',
      '--output-format=json',
      '--deny-tool url memory',
    ],
    loosening: [
      '--available-tools bash,create',
      '--available-tools=edit',
      '--available-tools bash edit view',
      '--trust-folder',
    ],
  },
  qwen: {
    neutral: [
      '--allowed-tools write_file',
      '--exclude-tools web_fetch',
      '--excludeTools=memory',
      '--core-tools read_file edit',
      '-d',
      '-o json',
      'fix_it',
      '--future-value x',
    ],
    loosening: ['--safe-mode', '--safeMode', '--safe-mode false'],
    once: ['-m coder', '--approvalMode auto-edit'],
  },
};

/** What follows `--` is text, whatever it looks like. */
const REST = [
  '--yolo',
  '--sandbox',
  'danger-full-access',
  '--disallowedTools',
  '--tools',
  'Bash',
  'fix it',
];

/** A list for this CLI, and what follows it after `--` if anything does. */
export function savedArguments(
  cli: string,
): fc.Arbitrary<{ fragments: Fragment[]; rest: string[] }> {
  const vocabulary = VOCABULARIES[cli];
  if (vocabulary === undefined) throw new Error(`no vocabulary for ${cli}`);
  const cut = (neutral: boolean) => (text: string) => ({
    tokens: text
      .split(' ')
      .map((token) => token.replaceAll('_', token.startsWith('fix') ? ' ' : '_')),
    neutral,
  });
  const free = [...vocabulary.neutral.map(cut(true)), ...vocabulary.loosening.map(cut(false))];
  const once = (vocabulary.once ?? []).map(cut(true));
  return fc
    .record({
      some: fc.array(fc.constantFrom(...free), { maxLength: 8 }),
      single: fc.subarray(once),
      rest: fc.option(fc.array(fc.constantFrom(...REST), { maxLength: 3 }), { nil: undefined }),
      seed: fc.infiniteStream(fc.nat({ max: 1000 })),
    })
    .map(({ some, single, rest, seed }) => {
      const fragments = [...some];
      for (const fragment of single) {
        fragments.splice(Number(seed.next().value) % (fragments.length + 1), 0, fragment);
      }
      return { fragments, rest: rest === undefined ? [] : ['--', ...rest] };
    });
}
