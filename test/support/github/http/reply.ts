/** Replies of the REST face, and the refusals that GitHub words in its own way. */
export interface Reply {
  readonly status: number;
  /** undefined: no body (204). */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export function ok(body: unknown, headers: Readonly<Record<string, string>> = {}): Reply {
  return { status: 200, body, headers };
}

export function created(body: unknown, location?: string): Reply {
  return { status: 201, body, ...(location === undefined ? {} : { headers: { location } }) };
}

export const NO_CONTENT: Reply = { status: 204 };

const DOCUMENTATION = 'https://docs.github.com/rest';

/** A refusal: thrown by a handler, sent as GitHub's error body. */
export class Refused extends Error {
  override readonly name = 'Refused';
  readonly reply: Reply;

  constructor(status: number, message: string, extra: Readonly<Record<string, unknown>> = {}) {
    super(message);
    const body = { message, ...extra, documentation_url: DOCUMENTATION, status: String(status) };
    this.reply = { status, body };
  }
}

export function notFound(): Refused {
  return new Refused(404, 'Not Found');
}

export interface FieldError {
  readonly resource: string;
  readonly code: string;
  readonly field?: string;
  readonly message?: string;
  readonly value?: unknown;
}

export function validationFailed(...errors: FieldError[]): Refused {
  return new Refused(422, 'Validation Failed', { errors });
}
