/** Names that become part of a URL. A client library encodes them, but a URL parser still walks up on `..`. */
import { AppError } from '@sallyport/shared/errors';

const LOGIN_PATTERN = /^[A-Za-z0-9][A-Za-z0-9_-]{0,99}(\[bot\])?$/;

/** Returns the login of an account unchanged. @throws AppError `bad_input` when it could be none. */
export function requireLogin(login: string): string {
  if (!LOGIN_PATTERN.test(login))
    throw new AppError('bad_input', 'the login of an account has a form that GitHub does not give');
  return login;
}
