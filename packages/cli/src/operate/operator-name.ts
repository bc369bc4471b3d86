/** Who gives a command, for the record: the account, or its number where a container or an image has no account for it. */
import { userInfo } from 'node:os';

/** `readAccount` throws where the user number has no account. */
export function operatorName(readAccount: () => { username: string } = userInfo): string {
  try {
    return `${readAccount().username} (command line)`;
  } catch {
    return `user ${process.getuid?.() ?? 'unknown'} (command line)`;
  }
}
