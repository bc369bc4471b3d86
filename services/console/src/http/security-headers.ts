/** What every answer of the console tells a browser: run nothing foreign, show it in no frame, keep nothing, tell no site. */

export const SECURITY_HEADERS = {
  'content-security-policy':
    "default-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  // Not `no-referrer`: that makes browsers send `Origin: null` with our own forms, which would then look foreign.
  'referrer-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
} as const;

/** The board of the queues styles itself from scripts and sets a base; it may do that, and only below its own path. */
export const BOARD_SECURITY_POLICY =
  "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; object-src 'none'; base-uri 'self'; " +
  "form-action 'none'; frame-ancestors 'none'";
