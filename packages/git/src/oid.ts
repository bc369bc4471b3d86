/** Object names: SHA-1 in lower-case hexadecimal, the only form that is compared, stored or put on a command line. */
import { AppError } from '@sallyport/shared/errors';

export const OID_PATTERN = /^[0-9a-f]{40}$/;
export const ZERO_OID = '0'.repeat(40);

/** Whether the text is a complete object name. */
export function isOid(text: string): boolean {
  return OID_PATTERN.test(text);
}

/**
 * Returns the object name unchanged, so that nothing else can reach an argument list.
 * @throws AppError `bad_input` that names the value's role.
 */
export function requireOid(text: string, role: string): string {
  if (!isOid(text) || text === ZERO_OID) {
    throw new AppError(
      'bad_input',
      `${role} must be a full object name (40 hex digits, not all zero)`,
    );
  }
  return text;
}
