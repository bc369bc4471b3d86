/**
 * The commands of an environment as one script of the shell: in one sandbox, so that what one leaves in the scratch
 * directories is there for the next; each is shown before it runs, and the first that fails is the last.
 */
import type { Environment } from '@sallyport/teams/environment/environment';

/** The program and its arguments. */
export function commandScript(commands: Environment['commands']): [string, ...string[]] {
  // In one stream people read a command's words under the command.
  const lines = ['exec 2>&1'];
  for (const command of commands) {
    const words = typeof command === 'string' ? ['/bin/sh', '-c', command] : command;
    lines.push(`printf '+ %s\\n' ${quote(shown(command))}`);
    lines.push(`${words.map(quote).join(' ')} || exit $?`);
  }
  return ['/bin/sh', '-c', lines.join('\n')];
}

function shown(command: string | readonly string[]): string {
  return typeof command === 'string' ? command : command.join(' ');
}

function quote(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}
