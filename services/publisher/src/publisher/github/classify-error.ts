/**
 * The one place where what GitHub or the network answered becomes a code of this system. A request that got no answer may
 * have been carried out all the same, so `transient` never means that nothing happened: whoever repeats a write looks for
 * its result first.
 */
import { AppError, type ErrorCode } from '@sallyport/shared/errors';
import { scrubSecrets } from '@sallyport/shared/scrub';

interface GithubResponse {
  status: number;
  headers: Record<string, unknown>;
  data: unknown;
}

const DEFAULT_WAIT_SECONDS = 60;
const MAX_WAIT_SECONDS = 3600;

/**
 * The error that a failed request stands for. `detail`: `status` (null without an answer), `requestId`, for
 * `rate_limited` also `retryAfterSeconds`, for `bad_input` also `reasons` (GitHub's machine-readable ones).
 */
export function classifyGithubError(
  error: unknown,
  request: { method: string; url: string },
): AppError {
  if (error instanceof AppError) return error;
  const what = `${request.method} ${request.url}`;
  // A cut connection and a timeout come as status 500 without a response, or as the abort itself.
  const response = (error as { response?: GithubResponse } | null)?.response;
  if (response === undefined) {
    const reason = error instanceof Error ? scrubSecrets(error.message) : 'unknown';
    return new AppError('transient', `${what}: no answer`, { detail: { status: null, reason } });
  }
  const { status, headers, data } = response;
  const detail: Record<string, unknown> = {
    status,
    requestId: headers['x-github-request-id'] ?? null,
  };
  const wait = waitOf(status, headers, data);
  if (wait !== null) detail['retryAfterSeconds'] = wait;
  const code = wait === null ? codeOf(status) : 'rate_limited';
  if (code === 'bad_input') detail['reasons'] = reasonsIn(data);
  // The cause holds the request with its Authorization header, so it does not travel on.
  return new AppError(code, `${what}: GitHub answered ${status}`, { detail });
}

function codeOf(status: number): ErrorCode {
  if (status >= 500) return 'transient';
  switch (status) {
    case 404:
    case 410:
    case 451:
      return 'not_found';
    case 401:
    case 403:
      return 'forbidden';
    case 409:
      return 'conflict';
    case 422:
    case 400:
      return 'bad_input';
    default:
      return 'internal';
  }
}

/** Seconds to wait when the answer is a rate limit, null when it is none. */
function waitOf(status: number, headers: Record<string, unknown>, data: unknown): number | null {
  if (status !== 403 && status !== 429) return null;
  const retryAfter = Number(headers['retry-after']);
  if (Number.isFinite(retryAfter) && retryAfter > 0) return Math.min(retryAfter, MAX_WAIT_SECONDS);
  if (headers['x-ratelimit-remaining'] === '0') {
    const reset = Number(headers['x-ratelimit-reset']) - Math.floor(Date.now() / 1000);
    return Number.isFinite(reset)
      ? Math.min(Math.max(reset, 1), MAX_WAIT_SECONDS)
      : DEFAULT_WAIT_SECONDS;
  }
  // The secondary limit may come with no header at all; then its page in the documentation is the only sign.
  const page = JSON.stringify(
    (data as { documentation_url?: unknown } | null)?.documentation_url ?? '',
  );
  return status === 429 || page.includes('rate-limit') ? DEFAULT_WAIT_SECONDS : null;
}

/** `resource:field:code` of each error in a validation answer. */
function reasonsIn(data: unknown): string[] {
  const errors = (data as { errors?: unknown } | null)?.errors;
  if (!Array.isArray(errors)) return [];
  return errors.slice(0, 10).map((entry: unknown) => {
    const { resource, field, code } = (entry ?? {}) as Record<string, unknown>;
    return [resource, field, code]
      .map((part) => (typeof part === 'string' ? part.slice(0, 60) : ''))
      .join(':');
  });
}
