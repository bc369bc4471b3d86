/** Every agent CLI that has an adapter, in the order in which they are listed. */
import type { Adapter } from './adapter.ts';
import { claude } from './adapters/claude.ts';
import { codex } from './adapters/codex.ts';
import { copilot } from './adapters/copilot.ts';
import { gemini } from './adapters/gemini.ts';
import { grok } from './adapters/grok.ts';
import { opencode } from './adapters/opencode.ts';
import { qwen } from './adapters/qwen.ts';

export const ADAPTERS: readonly Adapter[] = [claude, codex, opencode, gemini, copilot, grok, qwen];

/** The adapter of the CLI with this name or alias, or undefined: then only the written rule and the mount hold. */
export function findAdapter(cli: string): Adapter | undefined {
  return ADAPTERS.find((adapter) => adapter.cli === cli || adapter.aliases.includes(cli));
}
