/**
 * The one rule for paths that an agent names: inside the tree, in one spelling. Everything downstream (the console, the
 * review on GitHub, the comparison with the diff) may then join and compare them without a thought.
 */

export const MAX_PATH_BYTES = 4096;

/** Why this text is no path inside a tree, in words for the agent's author, or undefined when it is one. */
export function problemWithTreePath(path: string): string | undefined {
  if (path === '') return 'is empty';
  if (Buffer.byteLength(path) > MAX_PATH_BYTES) return `is longer than ${MAX_PATH_BYTES} bytes`;
  if (path.startsWith('/')) return 'is absolute; give it relative to the root of the tree';
  // Control characters forge lines in logs and terminals.
  if (/[\u0000-\u001f\u007f]/.test(path)) return 'contains a control character';
  if (path.includes('\\')) return 'contains a backslash; separate with "/"';
  const segments = path.split('/');
  if (segments.some((s) => s === '..')) return 'leaves the tree with ".."';
  if (segments.some((s) => s === '' || s === '.')) return 'is not in its shortest form';
  if (segments.some((s) => s.toLowerCase() === '.git')) return 'lies in a git directory';
  return undefined;
}
