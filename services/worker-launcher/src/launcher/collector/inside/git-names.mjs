/**
 * Names that git, or a file system on which somebody checks the work out, takes for a git directory. What lies under
 * such a name is not work and is left out.
 */

// Characters that HFS+ ignores, as UTF-8 bytes read one character each: zero-width and direction marks.
const HFS_IGNORED =
  /\u00e2\u0080[\u008c-\u008f\u00aa-\u00ae]|\u00e2\u0081[\u00aa-\u00af]|\u00ef\u00bb\u00bf/g;

const DOT = 0x2e;
const SMALL_G = 0x67;
const LARGE_G = 0x47;
const FIRST_IGNORED = 0xe2;

/** Whether a name (its bytes, one character each) means `.git` to some file system. */
export function isGitDirectoryName(name) {
  // Asked for every file: nearly all of them begin with a letter that none of these names can begin with.
  const code = name.charCodeAt(0);
  if (code !== DOT && code !== SMALL_G && code !== LARGE_G && code < FIRST_IGNORED) return false;
  const first = name.replace(HFS_IGNORED, '').split(':')[0].toLowerCase();
  const trimmed = first.replace(/[. ]+$/, '');
  return trimmed === '.git' || trimmed === 'git~1';
}
