/** The closed list of answers that are a no, and the HTTP status of each. The words are for whoever reads GitHub's list of deliveries. */

const STATUS = {
  bad_headers: 400,
  not_json: 400,
  bad_signature: 401,
  not_found: 404,
  cut_short: 400,
  too_large: 413,
  unsupported_content_type: 415,
  internal: 500,
  busy: 503,
  unavailable: 503,
} as const;
export type RefusalCode = keyof typeof STATUS;

/** A request that is answered with a no; its message is safe to show to the sender. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly code: RefusalCode;

  constructor(code: RefusalCode, message: string, options: ErrorOptions = {}) {
    super(message, options);
    this.code = code;
  }

  get status(): number {
    return STATUS[this.code];
  }
}

/** The body of an answer that is a no. */
export function refusalBody(refusal: Refusal): { error: { code: RefusalCode; message: string } } {
  return { error: { code: refusal.code, message: refusal.message } };
}
