/**
 * The closed list of reasons for which an act of this system can fail. A code crosses process borders (queue, database,
 * log, console); a class never does. Whoever retries decides by code alone, so message texts may change freely.
 */

export const ERROR_CODES = [
  'bad_config',
  'bad_input',
  'forbidden',
  'not_found',
  'conflict',
  'too_large',
  'halted',
  'ticket_invalid',
  'rate_limited',
  'transient',
  'unavailable',
  'schema_newer',
  'internal',
] as const;
export type ErrorCode = (typeof ERROR_CODES)[number];

/** An error whose code somebody decides on. Anything else that is thrown is a defect and counts as `internal`. */
export class AppError extends Error {
  override readonly name = 'AppError';
  readonly code: ErrorCode;
  /** Facts for the log and for tests; never a secret, never a payload. */
  readonly detail: Readonly<Record<string, unknown>>;

  constructor(
    code: ErrorCode,
    message: string,
    options: ErrorOptions & { detail?: Record<string, unknown> } = {},
  ) {
    super(message, options);
    this.code = code;
    this.detail = options.detail ?? {};
  }
}

/** The code that an unknown thrown value stands for. */
export function errorCodeOf(error: unknown): ErrorCode {
  return error instanceof AppError ? error.code : 'internal';
}

const RETRYABLE: ReadonlySet<ErrorCode> = new Set(['transient', 'rate_limited', 'unavailable']);

/** Whether doing the same thing again later can succeed. Defects are not retried by queues; sweeps find their rows. */
export function isRetryable(error: unknown): boolean {
  return RETRYABLE.has(errorCodeOf(error));
}
