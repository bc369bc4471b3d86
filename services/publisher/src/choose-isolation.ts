/** The sandbox for the children that git runs in, as the operator set it and as far as this host gives one. */
import { detectIsolation, type Isolation } from '@sallyport/git/isolation';
import { AppError } from '@sallyport/shared/errors';
import type { Logger } from '@sallyport/shared/log';

export type IsolationSetting = 'auto' | 'bubblewrap' | 'none';

/**
 * Tries what the setting asks for. `auto` goes on without a sandbox where there is none, and says so in the log.
 * @throws AppError `bad_config` when the setting insists on a sandbox and this host gives none.
 */
export async function chooseIsolation(
  setting: IsolationSetting,
  variable: string,
  log: Logger,
): Promise<Isolation> {
  if (setting === 'none') return { kind: 'none', reason: `${variable} is none` };
  const found = await detectIsolation();
  if (found.kind === 'bubblewrap') return found;
  if (setting === 'auto') {
    log.warn(
      { reason: found.reason },
      'git children run without a sandbox of their own on this host',
    );
    return found;
  }
  throw new AppError(
    'bad_config',
    `${variable}: ${found.reason}; allow user namespaces on this host, or set ${variable}=none to go without`,
  );
}
