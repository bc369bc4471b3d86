/**
 * Three argument parsers in miniature, after what was seen of the real ones, for tests that ask what a CLI would make of a
 * list. They share nothing with the parser that takes lists apart: a mistake there must not be repeated here.
 */

/** `switch` has no value, `value` has one, `list` one or more, `maybe_list` any number. */
export type OptionKind = 'switch' | 'value' | 'list' | 'maybe_list';
/** Options by their names, several names by spaces: `{ '--model -m': 'value' }`. */
export type OptionTable = Readonly<Record<string, OptionKind>>;

export interface ReadArguments {
  /** Values of each occurrence, by the option's first name; a switch has one empty occurrence each time. */
  options: ReadonlyMap<string, readonly (readonly string[])[]>;
  words: readonly string[];
}
/** What the CLI would print before it exits without having started. */
export type Reading = ReadArguments | { error: string };

interface Option {
  first: string;
  kind: OptionKind;
}

function lookUp(table: OptionTable): Map<string, Option> {
  const found = new Map<string, Option>();
  for (const [names, kind] of Object.entries(table)) {
    const all = names.split(' ');
    for (const name of all) found.set(name, { first: all[0] ?? '', kind });
  }
  return found;
}

class Collected implements ReadArguments {
  readonly options = new Map<string, string[][]>();
  readonly words: string[] = [];
  add(option: Option, values: string[]): void {
    this.options.set(option.first, [...(this.options.get(option.first) ?? []), values]);
  }
  count(option: Option): number {
    return this.options.get(option.first)?.length ?? 0;
  }
}

/** A value is whatever comes next; a list goes on to the next dash; unknown options are errors; repeats collect. */
export function readLikeCommander(table: OptionTable, args: readonly string[]): Reading {
  const known = lookUp(table);
  const read = new Collected();
  const queue = [...args];
  let token = queue.shift();
  while (token !== undefined) {
    if (token === '--') {
      read.words.push(...queue);
      return read;
    }
    const [name = '', ...tail] = token.split('=');
    const option = known.get(token);
    const assigned = known.get(name);
    if (option?.kind === 'switch') read.add(option, []);
    else if (option !== undefined) {
      const values: string[] = [];
      const first = queue[0];
      if (option.kind === 'maybe_list' && (first === undefined || first.startsWith('-'))) {
        read.add(option, values);
      } else {
        const value = queue.shift();
        if (value === undefined) return { error: `${token} needs a value` };
        values.push(value);
        while (option.kind !== 'value' && queue[0] !== undefined && !queue[0].startsWith('-')) {
          values.push(queue.shift() ?? '');
        }
        read.add(option, values);
      }
    } else if (assigned !== undefined && assigned.kind !== 'switch' && tail.length > 0) {
      read.add(assigned, [tail.join('=')]);
    } else if (token.startsWith('-') && token !== '-') return { error: `unknown option ${token}` };
    else read.words.push(token);
    token = queue.shift();
  }
  return read;
}

/** No value begins with a dash; `-sV` and `-s=V` are values; what is not named repeatable may stand once. */
export function readLikeClap(
  table: OptionTable,
  args: readonly string[],
  repeatable: readonly string[],
): Reading {
  const known = lookUp(table);
  const read = new Collected();
  for (let i = 0; i < args.length; i += 1) {
    const token = args[i] ?? '';
    if (token === '--') {
      read.words.push(...args.slice(i + 1));
      break;
    }
    if (!token.startsWith('-') || token === '-') {
      read.words.push(token);
      continue;
    }
    const short = /^-[^-]/.test(token);
    const name = short ? token.slice(0, 2) : (token.split('=')[0] ?? '');
    const option = known.get(name);
    if (option === undefined) return { error: `unexpected argument ${token}` };
    if (read.count(option) > 0 && !repeatable.includes(option.first)) {
      return { error: `${name} cannot be used multiple times` };
    }
    const joined = short ? token.slice(2) : token.slice(name.length);
    if (option.kind === 'switch') {
      if (joined !== '') return { error: `unexpected value in ${token}` };
      read.add(option, []);
      continue;
    }
    if (joined !== '') {
      read.add(option, [joined.replace(/^=/, '')]);
      continue;
    }
    const values: string[] = [];
    while (args[i + 1] !== undefined && !/^-./.test(args[i + 1] ?? '')) {
      values.push(args[(i += 1)] ?? '');
      if (option.kind === 'value') break;
    }
    if (values.length === 0 && option.kind !== 'maybe_list')
      return { error: `${name} needs a value` };
    read.add(option, values);
  }
  return read;
}

/** `--someFlag` is `--some-flag`; a list swallows words to the next dash; a repeated value becomes a list. */
export function readLikeYargs(table: OptionTable, args: readonly string[]): Reading {
  const known = lookUp(table);
  const read = new Collected();
  for (let i = 0; i < args.length; i += 1) {
    const token = args[i] ?? '';
    if (token === '--') {
      read.words.push(...args.slice(i + 1));
      break;
    }
    if (!/^-./.test(token)) {
      read.words.push(token);
      continue;
    }
    if (/^-[a-z]{2,}$/.test(token)) {
      for (const letter of token.slice(1)) {
        const option = known.get(`-${letter}`);
        if (option?.kind !== 'switch') return { error: `unknown argument ${letter}` };
        read.add(option, []);
      }
      continue;
    }
    const equals = token.indexOf('=');
    const spelled = equals === -1 ? token : token.slice(0, equals);
    const name = spelled.startsWith('--')
      ? spelled.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
      : spelled;
    const option = known.get(name);
    if (option === undefined) return { error: `unknown argument ${token}` };
    if (option.kind === 'switch') {
      const next = args[i + 1];
      const isSet = equals === -1 ? next === 'true' || next === 'false' : false;
      if (isSet) i += 1;
      read.add(option, isSet && next === 'false' ? ['false'] : []);
      continue;
    }
    const values = equals === -1 ? [] : [token.slice(equals + 1)];
    while (equals === -1 && args[i + 1] !== undefined && !/^-./.test(args[i + 1] ?? '')) {
      values.push(args[(i += 1)] ?? '');
      if (option.kind === 'value') break;
    }
    read.add(option, values);
  }
  return read;
}
