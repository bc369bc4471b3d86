/**
 * Which autonomous mode an agent gets. Beside a read-only rule it is either outvoted or, where it would beat the rule, not
 * given at all; each adapter says which, with the evidence.
 */
import { AppError } from '@sallyport/shared/errors';
import type { Adapter, Addition, Removal } from './adapter.ts';

export interface ChosenAutonomy {
  adds: readonly Addition[];
  replaces: readonly Removal[];
  env: Readonly<Record<string, string>>;
}

const NONE: ChosenAutonomy = { adds: [], replaces: [], env: {} };

/** The mode's arguments and what gives way to them. @throws AppError `bad_input` when the adapter has no such mode. */
export function autonomyOf(
  adapter: Adapter,
  asked: boolean | string | undefined,
  readOnly: boolean,
): ChosenAutonomy {
  const { modes, usual, replaces, effect } = adapter.autonomy;
  if (asked === undefined || asked === false) return NONE;
  const name = asked === true ? usual : asked;
  const mode = Object.hasOwn(modes, name) ? modes[name] : undefined;
  if (mode === undefined) {
    const known = Object.keys(modes).join(', ');
    throw new AppError(
      'bad_input',
      `${adapter.title} has no autonomous mode "${name}"; it has ${known}`,
    );
  }
  if (readOnly && effect === 'removed') return { ...NONE, replaces };
  return { adds: mode.adds, replaces, env: mode.env ?? {} };
}
