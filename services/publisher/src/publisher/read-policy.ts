/** The policy of this deployment: from the operator's file, or the built-in one. Never from a repository. */
import {
  DEFAULT_POLICY,
  parsePolicyConfig,
  type PolicyConfig,
} from '@sallyport/policy/policy-config';
import { AppError } from '@sallyport/shared/errors';
import { readOperatorFile } from '@sallyport/shared/operator-file';

/** @throws AppError `bad_config` that names the file and every problem in it. */
export function readPolicy(file: string | undefined): PolicyConfig {
  if (file === undefined) return DEFAULT_POLICY;
  const content = readOperatorFile({ variable: 'POLICY_FILE', path: file, form: '{}' });
  try {
    return parsePolicyConfig(content);
  } catch (cause) {
    throw new AppError('bad_config', `POLICY_FILE ${file}: ${(cause as Error).message}`, { cause });
  }
}
