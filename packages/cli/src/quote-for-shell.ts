/** Writes one argument so that a POSIX shell reads it back unchanged: what a command prints gets pasted. */
export function quoteForShell(argument: string): string {
  if (/^[\w@%+=:,./-]+$/.test(argument)) return argument;
  return `'${argument.replaceAll("'", `'\\''`)}'`;
}
