/**
 * The permissions that make OpenCode read-only, joined with those that the operator already gives: what they refuse stays
 * refused, what they open does not open again.
 */
import { AppError } from '@sallyport/shared/errors';
import type { ReadOnlyLevel } from '../../restriction-words.ts';
import type { EnvironmentChange } from '../adapter.ts';
import { WRITE_COMMANDS } from '../write-commands.ts';

type Rule = string | Readonly<Record<string, string>>;
type Permission = Readonly<Record<string, Rule>>;

const READING: Permission = {
  '*': 'deny',
  read: 'allow',
  grep: 'allow',
  glob: 'allow',
  list: 'allow',
};

/** The last rule that matches counts, so the refusals follow the one that opens the shell. */
const REFLEX: Permission = {
  edit: 'deny',
  task: 'deny',
  bash: {
    '*': 'allow',
    ...Object.fromEntries(WRITE_COMMANDS.map((command) => [`${command} *`, 'deny'])),
  },
};

/**
 * What changes in the environment of a read-only step.
 * @throws AppError `bad_input` when what the operator set cannot be read: nobody could say what it opens.
 */
export function openCodeEnvironment(
  level: ReadOnlyLevel,
  env: Readonly<Record<string, string>>,
): EnvironmentChange {
  const theirs = readJson(env, 'OPENCODE_PERMISSION');
  const set: Record<string, string> = {
    OPENCODE_PERMISSION: JSON.stringify(joinPermissions(level, theirs)),
  };
  const config = readJson(env, 'OPENCODE_CONFIG_CONTENT');
  if (config !== undefined)
    set['OPENCODE_CONFIG_CONTENT'] = JSON.stringify(withoutOpenings(config));
  return { set, unset: [] };
}

function joinPermissions(level: ReadOnlyLevel, theirs: unknown): Permission {
  const restrictions = restrictionsOf(theirs);
  const closed = restrictions['*'] !== undefined;
  const joined: Record<string, Rule> = { ...(level === 'noShell' || closed ? READING : REFLEX) };
  for (const [key, rule] of Object.entries(restrictions)) {
    const ours = joined[key];
    if (key === '*' || ours === 'deny') continue;
    if (typeof rule === 'string') joined[key] = rule;
    else if (typeof ours === 'object') joined[key] = { ...ours, ...rule };
    else joined[key] = ours === undefined ? rule : { '*': ours, ...rule };
  }
  return joined;
}

/**
 * Of a permission, only what refuses or asks, and that as a refusal: nobody is there to be asked, and `--auto` takes every
 * question for a yes.
 */
function restrictionsOf(permission: unknown): Record<string, Rule> {
  if (typeof permission === 'string') return permission === 'allow' ? {} : { '*': 'deny' };
  const kept: Record<string, Rule> = {};
  for (const [key, rule] of entriesOf(permission)) {
    if (typeof rule === 'string') {
      if (rule !== 'allow') kept[key] = 'deny';
      continue;
    }
    const patterns = entriesOf(rule).filter(([, action]) => action !== 'allow');
    if (patterns.length > 0) {
      kept[key] = Object.fromEntries(patterns.map(([pattern]) => [pattern, 'deny']));
    }
  }
  return kept;
}

/** The configuration without what would open a tool: for everybody, for one agent, or for one mode. */
function withoutOpenings(config: unknown): unknown {
  if (typeof config !== 'object' || config === null) return config;
  const kept: Record<string, unknown> = {};
  for (const [key, value] of entriesOf(config)) {
    if (key === 'permission') kept[key] = restrictionsOf(value);
    else if (key === 'tools')
      kept[key] = Object.fromEntries(entriesOf(value).filter(([, on]) => on === false));
    else if (key === 'agent' || key === 'mode') {
      kept[key] = Object.fromEntries(
        entriesOf(value).map(([name, own]) => [name, withoutOpenings(own)]),
      );
    } else kept[key] = value;
  }
  return kept;
}

function entriesOf(value: unknown): [string, unknown][] {
  return typeof value === 'object' && value !== null ? Object.entries(value) : [];
}

function readJson(env: Readonly<Record<string, string>>, name: string): unknown {
  const text = env[name];
  if (text === undefined || text.trim() === '') return undefined;
  try {
    return JSON.parse(text);
  } catch (cause) {
    const message = `${name} is not JSON, so nobody can say what it opens to a read-only step; mend or remove it`;
    throw new AppError('bad_input', message, { cause });
  }
}
