/**
 * The form in which paths are compared. File systems and services take different spellings for the same name, so a rule
 * that compares what was written would be passed by writing it another way.
 */

/** Code points that HFS+ and many programs drop or do not show: zero width, bidi, tags, variation selectors. */
const IGNORABLE =
  /[\u{ad}\u{34f}\u{61c}\u{180b}-\u{180f}\u{200b}-\u{200f}\u{202a}-\u{202e}\u{2060}-\u{206f}\u{fe00}-\u{fe0f}\u{feff}\u{e0000}-\u{e0fff}]/gu;

const NOT_ASCII = /[^\u{0}-\u{7f}]/u;

/** Compatibility-composed, lower case, without ignorable characters; each component without trailing dots and spaces. */
export function foldPath(path: string): string {
  const plain = NOT_ASCII.test(path) ? path.replace(IGNORABLE, '').normalize('NFKC') : path;
  return plain.toLowerCase().split('/').map(dropTail).join('/');
}

function dropTail(component: string): string {
  let end = component.length;
  while (end > 0 && (component[end - 1] === '.' || component[end - 1] === ' ')) end--;
  return end === 0 ? component : component.slice(0, end);
}

/** The last component. */
export function basename(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** The extension of the last component in lower case, with its dot; empty when there is none. */
export function extension(path: string): string {
  const name = basename(path).toLowerCase();
  const dot = name.lastIndexOf('.');
  return dot <= 0 ? '' : name.slice(dot);
}

/** Whether one of the scope's entries names the path: the file itself, or a folder (`dir/`, `dir/**`) around it. */
export function isNamedBy(entries: readonly string[], path: string): boolean {
  return entries.some((entry) => {
    const folder = entry.endsWith('/**') ? entry.slice(0, -2) : entry;
    if (!folder.endsWith('/')) return folder === path;
    return folder.length > 1 && path.startsWith(folder);
  });
}
