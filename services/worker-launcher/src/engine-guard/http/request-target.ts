/**
 * Takes the target of a request apart. Nothing is decoded, joined or tidied up: a path that could mean anything but what
 * stands there (`..`, `%2e`, `//`, another version) is none, so that guard and engine never differ about it.
 */
import { AppError } from '@sallyport/shared/errors';

const PATH = /^(?:\/[A-Za-z0-9._-]+)+$/;
const PARAMETER = /^([a-z][a-z-]{0,31})=([A-Za-z0-9._-]{0,256})$/;
const VERSION = /^v[0-9]/;
const OWN_VERSION = 'v1.41';

export interface RequestTarget {
  /** The parts of the path, without the version. */
  segments: readonly string[];
  query: ReadonlyMap<string, string>;
}

/**
 * Parses what stands in the request line.
 * @throws AppError `bad_input` that says what is wrong with it.
 */
export function parseTarget(target: string): RequestTarget {
  const [path = '', search, ...rest] = target.split('?');
  const segments = path.split('/').slice(1);
  if (!PATH.test(path) || segments.some((part) => part === '.' || part === '..')) {
    throw new AppError('bad_input', `the path ${shown(path)} is not written plainly`);
  }
  if (segments[0] === OWN_VERSION) segments.shift();
  if (VERSION.test(segments[0] ?? '')) {
    throw new AppError(
      'bad_input',
      `version ${shown(segments[0] ?? '')} is not offered, ${OWN_VERSION} is`,
    );
  }
  if (rest.length > 0) throw new AppError('bad_input', 'the request has two queries');
  return { segments, query: parseQuery(search) };
}

function parseQuery(search: string | undefined): ReadonlyMap<string, string> {
  const query = new Map<string, string>();
  if (search === undefined || search === '') return query;
  for (const part of search.split('&')) {
    const [, name, value] = PARAMETER.exec(part) ?? [];
    if (name === undefined || value === undefined) {
      throw new AppError('bad_input', `the parameter ${shown(part)} is not written plainly`);
    }
    if (query.has(name)) throw new AppError('bad_input', `the parameter "${name}" is given twice`);
    query.set(name, value);
  }
  return query;
}

function shown(text: string): string {
  return JSON.stringify(text.slice(0, 100));
}
