/** The policy of this deployment: from the operator's file, or the built-in one. Never from a repository. */
import { readFileSync } from 'node:fs';
import {
  DEFAULT_POLICY,
  parsePolicyConfig,
  type PolicyConfig,
} from '@sallyport/policy/policy-config';
import { AppError } from '@sallyport/shared/errors';

/** @throws AppError `bad_config` that names the file and every problem in it. */
export function readPolicy(file: string | undefined): PolicyConfig {
  if (file === undefined) return DEFAULT_POLICY;
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (cause) {
    throw new AppError(
      'bad_config',
      `POLICY_FILE: cannot read ${file}; check that it exists and is readable by this user`,
      { cause },
    );
  }
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch (cause) {
    throw new AppError('bad_config', `POLICY_FILE ${file}: it is no JSON`, { cause });
  }
  try {
    return parsePolicyConfig(content);
  } catch (cause) {
    throw new AppError('bad_config', `POLICY_FILE ${file}: ${(cause as Error).message}`, { cause });
  }
}
