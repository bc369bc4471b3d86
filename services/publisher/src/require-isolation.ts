/** The sandbox for children that git runs in: required, unless the operator has said in so many words that there is none. */
import { detectIsolation, type Isolation } from '@sallyport/git/isolation';
import { AppError } from '@sallyport/shared/errors';

/** @throws AppError `bad_config` when this host gives no sandbox and the setting does not say `none`. */
export async function requireIsolation(
  setting: 'bubblewrap' | 'none',
  variable: string,
): Promise<Isolation> {
  if (setting === 'none') return { kind: 'none', reason: `${variable} is none` };
  const found = await detectIsolation();
  if (found.kind === 'bubblewrap') return found;
  throw new AppError(
    'bad_config',
    `${variable}: ${found.reason}; allow user namespaces on this host, or set ${variable}=none to go without`,
  );
}
