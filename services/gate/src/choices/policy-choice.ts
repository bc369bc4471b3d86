/** The policy that tickets name: the operator's, or the built-in one, with the hash of its effective values. */
import { AppError } from '@sallyport/shared/errors';
import {
  DEFAULT_POLICY,
  hashPolicy,
  parsePolicyConfig,
  type PolicyConfig,
} from '@sallyport/policy/policy-config';
import { readOperatorFile } from '@sallyport/shared/operator-file';

export interface PolicyChoice {
  hash: string;
  content: PolicyConfig;
}

/** Reads POLICY_FILE when it is given. @throws AppError `bad_config` when it is no policy. */
export function choosePolicy(path: string | undefined): PolicyChoice {
  if (path === undefined) return { hash: hashPolicy(DEFAULT_POLICY), content: DEFAULT_POLICY };
  const input = readOperatorFile({ variable: 'POLICY_FILE', path, form: '{}' });
  try {
    const content = parsePolicyConfig(input);
    return { hash: hashPolicy(content), content };
  } catch (cause) {
    throw new AppError(
      'bad_config',
      `POLICY_FILE: ${path} is no policy: ${(cause as Error).message}`,
      { cause },
    );
  }
}
