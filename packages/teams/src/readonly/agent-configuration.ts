/**
 * Where the agent CLIs look in a project for what steers them: settings, hooks, servers and plugins that run code, rules,
 * skills, instructions, and the environment that some load before they start. An earlier step could have put there what
 * it liked, so a step is shown these paths as the base commit has them.
 */

/**
 * By CLI. A path stands for itself and all below it, at any depth; one that begins with a slash only at the top of the
 * project. Spelled as the CLIs spell them: on a file system with cases `.CLAUDE` is nobody's configuration.
 */
export const AGENT_CONFIGURATION = {
  claude: [
    '.claude',
    '.claude-plugin',
    '.claude.json',
    '.mcp.json',
    'CLAUDE.md',
    'CLAUDE.local.md',
  ],
  codex: ['.codex', '.agents', 'AGENTS.md', 'AGENTS.override.md'],
  gemini: ['.gemini', '.geminiignore', 'GEMINI.md', '/.env'],
  qwen: ['.qwen', '.qwenignore', 'QWEN.md', '/.env'],
  opencode: ['.opencode', 'opencode.json', 'opencode.jsonc', 'AGENTS.md', 'CLAUDE.md'],
  kilo: ['.kilo', '.kilocode', '.kilocodemodes', '.kilocoderules', 'kilo.json', 'kilo.jsonc'],
  copilot: [
    '.copilot',
    '.github/agents',
    '.github/chatmodes',
    '.github/copilot',
    '.github/copilot-instructions.md',
    '.github/extensions',
    '.github/hooks',
    '.github/instructions',
    '.github/lsp.json',
    '.github/mcp.json',
    '.github/plugin',
    '.github/prompts',
    '.github/skills',
    '.vscode/mcp.json',
  ],
  grok: ['.grok', '.grokignore', 'GROK.md'],
  pi: ['.pi'],
  cline: ['.cline', '.clinerules', '.clineignore'],
  droid: ['.factory'],
  amp: ['.amp', 'AGENT.md'],
  crush: ['.crush', '.crush.json', '.crushignore', 'crush.json', 'CRUSH.md'],
  cursor: ['.cursor', '.cursorrules', '.cursorignore'],
  aider: ['.aider.conf.yml', '.aider.model.settings.yml', '.aiderignore', 'CONVENTIONS.md'],
  others: [
    '.augment',
    '.continue',
    '.goose',
    '.goosehints',
    '.junie',
    '.kiro',
    '.openhands',
    '.roo',
    '.roomodes',
    '.roorules',
    '.trae',
    '.windsurf',
    '.windsurfrules',
  ],
  /** Read by the programs in which CLIs are packed and by the search tool that they bring, before any CLI has a say. */
  runtimes: ['/.env', '/.env.local', '/bunfig.toml', '.ripgreprc'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

const PATHS: readonly string[] = [...new Set(Object.values(AGENT_CONFIGURATION).flat())].toSorted();

/** The paths as they stand at the top of a project, where a link in place of one may lead to another. */
export const AGENT_CONFIGURATION_AT_TOP: readonly string[] = PATHS.map((path) =>
  path.replace(/^\//, ''),
);

/** The source of a regular expression that matches a path of a tree when it is, or lies below, one of them. */
export const AGENT_CONFIGURATION_PATTERN = `${alternatives(true)}|${alternatives(false)}`;

function alternatives(atTop: boolean): string {
  const paths = PATHS.filter((path) => path.startsWith('/') === atTop).map((path) =>
    path.replace(/^\//, '').replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`),
  );
  return `${atTop ? '^' : '(?:^|/)'}(?:${paths.join('|')})(?:/|$)`;
}

const PATTERN = new RegExp(AGENT_CONFIGURATION_PATTERN);

/** Whether a path of a tree (no slash in front) is where some agent CLI looks for what steers it. */
export function isAgentConfiguration(path: string): boolean {
  return PATTERN.test(path);
}
