import { describe, expect, test } from 'vitest';
import { ADAPTERS } from './adapters.ts';
import {
  AGENT_CONFIGURATION,
  AGENT_CONFIGURATION_AT_TOP,
  isAgentConfiguration,
} from './agent-configuration.ts';

describe('a path that steers an agent', () => {
  test.each([
    '.claude/settings.json',
    '.claude/settings.local.json',
    '.claude/skills/x/SKILL.md',
    '.mcp.json',
    'CLAUDE.md',
    'packages/a/CLAUDE.md',
    '.codex/config.toml',
    '.codex/hooks.json',
    '.agents/skills/x/SKILL.md',
    'AGENTS.override.md',
    '.gemini/settings.json',
    '.gemini/.env',
    '.qwen/settings.json',
    '.opencode/plugin/x.ts',
    'opencode.jsonc',
    '.github/hooks/x.json',
    '.github/copilot-instructions.md',
    '.vscode/mcp.json',
    '.grok/hooks/x.json',
    '.pi/extensions/x.ts',
    '.env',
    'bunfig.toml',
  ])('is known: %s', (path) => {
    expect(isAgentConfiguration(path)).toBe(true);
  });

  test('is known also when a file or a link stands in the place of the folder', () => {
    expect(isAgentConfiguration('.claude')).toBe(true);
    expect(isAgentConfiguration('sub/.mcp.json/inside')).toBe(true);
  });

  test.each([
    'src/claude/settings.json',
    '.claude-notes/x',
    'docs/agents.md',
    'x.mcp.json',
    'my.claude/x',
    '.github/workflows/ci.yml',
    '.github/CODEOWNERS',
    '.vscode/settings.json',
    'packages/a/.env',
    'src/bunfig.toml',
    '.env.example',
    'src/opencode.json.ts',
    '.CLAUDE/settings.json',
  ])('has a twin that is none: %s', (path) => {
    expect(isAgentConfiguration(path)).toBe(false);
  });
});

test('every CLI with an adapter has its paths in the list, and each path of the list is matched', () => {
  for (const { cli } of ADAPTERS) expect(Object.keys(AGENT_CONFIGURATION)).toContain(cli);
  for (const path of AGENT_CONFIGURATION_AT_TOP) expect(isAgentConfiguration(path)).toBe(true);
});
