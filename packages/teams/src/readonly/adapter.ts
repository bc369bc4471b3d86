/**
 * What is known of one agent CLI: how it reads its arguments, what makes it read-only, what its autonomy does to that, and
 * what stays open. Everything here was read in the CLI's own help and, where a level is verified, seen in a run; a flag
 * that was only guessed would end the start with a parse error, which is worse than a step without it.
 */
import type { ReadOnlyLevel } from '../restriction-words.ts';
import type { Grammar } from './arguments/grammar.ts';

/** `cli_refusal`: the CLI takes tools away or refuses their use. `os_sandbox`: it confines itself by the kernel. `written_rule`: only the prompt speaks of it. */
export const ENFORCERS = ['cli_refusal', 'os_sandbox', 'written_rule'] as const;
export type Enforcer = (typeof ENFORCERS)[number];

/** The ways to write that are tried on a read-only agent. */
export const WRITE_ACTS = [
  'write_tool',
  'edit_tool',
  'shell_redirect',
  'bash_c',
  'git_commit',
  'sub_agent',
] as const;
export type WriteAct = (typeof WRITE_ACTS)[number];

/**
 * An argument that is added last. `single`: every occurrence of the flag goes, then this one stands alone. `sum`: the flag
 * may stand several times and its lists add up, so only an occurrence equal to this one goes. `merge`: the flag may stand
 * once and holds a list, so all occurrences become one with everything in it.
 */
export interface Addition {
  readonly flag: string;
  readonly value?: string;
  readonly how: 'single' | 'sum' | 'merge';
}

/** Every occurrence of a flag that goes, or only those with such a value. */
export interface Removal {
  readonly flag: string;
  readonly when?: (value: string) => boolean;
}

export interface EnvironmentChange {
  readonly set: Readonly<Record<string, string>>;
  readonly unset: readonly string[];
}

/** A file that must lie, read-only to the agent, where an argument names it. */
export interface AdapterFile {
  readonly path: string;
  readonly content: string;
}

export interface LevelRule {
  readonly adds: readonly Addition[];
  readonly removes: readonly Removal[];
  /** The acts that the CLI itself refuses at this level: the claim that a verified version has stood by. */
  readonly refuses: readonly WriteAct[];
  /** What the CLI lets through, in plain words; the mount stops it. */
  readonly leavesOpen: readonly string[];
  /** What somebody who chooses this level should know besides. */
  readonly note?: string;
}

export interface AutonomyMode {
  readonly adds: readonly Addition[];
  readonly env?: Readonly<Record<string, string>>;
}

export interface Adapter {
  readonly cli: string;
  readonly title: string;
  /** Other names under which the CLI is asked for. */
  readonly aliases: readonly string[];
  readonly binary: string;
  /** How it runs without a terminal: these arguments, and the prompt on standard input or in the file that `promptFlag` names. */
  readonly headless: { readonly argv: readonly string[]; readonly promptFlag?: string };
  readonly modelFlag: string;
  readonly grammar: Grammar;
  readonly enforcedBy: Enforcer;
  readonly levels: Readonly<Record<ReadOnlyLevel, LevelRule>>;
  /** The versions in which every act that a level claims was refused in a run. The newest comes last. */
  readonly verified: readonly {
    readonly version: string;
    readonly levels: readonly ReadOnlyLevel[];
  }[];
  readonly autonomy: {
    readonly modes: Readonly<Record<string, AutonomyMode>>;
    /** The mode that `autonomous: true` means. */
    readonly usual: string;
    /** What goes before a mode is added, since the CLI takes no two of these. */
    readonly replaces: readonly Removal[];
    /** `outvoted`: the rule holds beside it. `removed`: it beats the rule and must go. */
    readonly effect: 'outvoted' | 'removed';
  };
  /** Against agent configuration in the repository; applied to every step. */
  readonly hardening: {
    readonly adds: readonly Addition[];
    readonly removes: readonly Removal[];
    readonly env: EnvironmentChange;
  };
  /** Environment and files that carry the rule itself, when arguments do not. */
  readonly readOnlyEnvironment?: (
    level: ReadOnlyLevel,
    env: Readonly<Record<string, string>>,
  ) => EnvironmentChange;
  readonly readOnlyFile?: (level: ReadOnlyLevel) => {
    readonly name: string;
    readonly content: string;
  };
  /** Flags that name the file of `readOnlyFile`. */
  readonly fileFlags?: readonly string[];
  /** What a read-only step may not be started with, since the rule does not reach it: flags, and first or second words. */
  readonly refuses?: { readonly flags: readonly string[]; readonly words: readonly string[] };
  /** Whether the agent of a read-only step can still write its hand-off file; if not, its last words carry the hand-off. */
  readonly handOff: Readonly<Record<ReadOnlyLevel, 'file' | 'last_message'>>;
  /** What happens to a repeated flag, and what was seen when it was run: the reasons for the choices above. */
  readonly evidence: string;
}
