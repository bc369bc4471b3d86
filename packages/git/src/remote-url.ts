/**
 * Which addresses git may talk to: https without anything secret or ambiguous in the URL, or, where a test stands in for
 * GitHub, plain http to a loopback address and nothing else.
 */
import { AppError } from '@sallyport/shared/errors';
import type { GitProtocol } from './environment.ts';

export interface Remote {
  url: string;
  /** `https`, unless the caller explicitly allows a stand-in on a loopback address. */
  protocol: Exclude<GitProtocol, 'none'>;
}

const LOOPBACK_HOSTS: ReadonlySet<string> = new Set(['127.0.0.1', '[::1]', 'localhost']);

/** Returns the URL as git gets it. @throws AppError `bad_input` (the message never holds the URL). */
export function requireRemoteUrl(remote: Remote): URL {
  let url: URL;
  try {
    url = new URL(remote.url);
  } catch {
    throw new AppError('bad_input', 'the remote is no URL');
  }
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    throw new AppError('bad_input', 'the remote URL holds a user, password, query or fragment');
  }
  if (remote.protocol === 'https' && url.protocol !== 'https:') {
    throw new AppError('bad_input', 'the remote URL is not https');
  }
  const isLoopback = url.protocol === 'http:' && LOOPBACK_HOSTS.has(url.hostname);
  if (remote.protocol === 'loopback_http' && !isLoopback) {
    throw new AppError('bad_input', 'the remote URL is not http to a loopback address');
  }
  return url;
}
