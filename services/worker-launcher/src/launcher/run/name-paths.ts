/** Names paths in a sentence for people: the first of them, and that there are more. */

const NAMED_PATHS = 5;

/** `count`: how many there are, where `paths` has only the first of them. */
export function namePaths(paths: readonly string[], count = paths.length): string {
  const named = paths.slice(0, NAMED_PATHS);
  return `${named.join(', ')}${count > named.length ? ', …' : ''}`;
}
