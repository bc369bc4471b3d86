/**
 * Scripts for the scripted agent, typed: what a test wants an agent to do, in the order in which it does it. The program
 * itself is `scripted-agent.mjs` beside this file; the two lists of actions are compared by a test.
 */
import { fileURLToPath } from 'node:url';

/** The program, to be mounted into a sandbox (its directory holds nothing secret). */
export const SCRIPTED_AGENT_PATH = fileURLToPath(new URL('scripted-agent.mjs', import.meta.url));

/**
 * `as` and `mayFail` name the claim under which what was seen, or what stopped the action, stands in the hand-off. With
 * `visits` the action is done in these visits of its node alone.
 */
type Act = { mayFail?: string; visits?: readonly number[] } & (
  | { do: 'write'; path: string; content: string; encoding?: 'utf8' | 'base64' }
  | { do: 'append'; path: string; content: string }
  | { do: 'edit'; path: string; find: string; replace: string }
  | { do: 'delete'; path: string }
  | { do: 'symlink'; path: string; target: string }
  | { do: 'chmod'; path: string; mode: string }
  | { do: 'run'; command: string; as?: string }
  | { do: 'commit'; message: string }
  | { do: 'sleep'; ms: number }
  | { do: 'print'; text: string; stream?: 'stdout' | 'stderr' }
  | { do: 'printBytes'; bytes: number }
  | { do: 'readFile'; path: string; as: string }
  | { do: 'readEnvironment'; as: string }
  | { do: 'readPrompt'; as: string }
  | { do: 'readArguments'; as: string }
  | { do: 'connect'; host: string; port: number; as: string }
  | {
      do: 'handOff';
      outcome: 'pass' | 'fail' | 'done' | 'blocked';
      summary?: string;
      findings?: readonly ScriptedFinding[];
      claims?: Readonly<Record<string, string | number | boolean | null>>;
    }
  | { do: 'ignoreTerm' }
  | { do: 'forkBomb' }
  | { do: 'eatMemory'; mebibytes: number }
  | { do: 'fillDisk'; path: string; mebibytes?: number }
  | { do: 'exit'; code: number }
);
export type ScriptedAction = Act;

export interface ScriptedFinding {
  path: string;
  line: number;
  endLine?: number;
  severity: 'note' | 'warning' | 'error';
  reason: string;
}

/** The script file's text. */
export function agentScript(...actions: readonly ScriptedAction[]): string {
  return JSON.stringify({ v: 1, actions });
}

/** The program's arguments when the script lies at `scriptPath` inside the sandbox. */
export function scriptedAgentArguments(scriptPath: string): string[] {
  return ['--script', scriptPath];
}
