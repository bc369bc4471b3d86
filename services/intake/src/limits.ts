/**
 * The bounds of the one process that strangers reach. GitHub sends at most 25 MiB of JSON; a form spells most bytes of it
 * with three. All bodies in hand together fit a budget, of which large ones cannot take the small ones' share.
 */

const MIB = 1024 * 1024;

/** The largest body of each content type, in bytes as they travel. */
export const BODY_LIMIT_BYTES = { json: 25 * MIB, form: 75 * MIB } as const;
/** Bodies up to this size are small: they have a budget of their own and are parsed here in full. */
export const SMALL_BODY_BYTES = MIB;
export const SMALL_BODIES_BYTES = 16 * MIB;
/** Three of the largest JSON bodies at once, or one form. */
export const LARGE_BODIES_BYTES = 75 * MIB;
export const MAX_CONNECTIONS = 256;
/** GitHub gives up after 10 s, its Enterprise Server after 30. */
export const REQUEST_TIMEOUT_MS = 30_000;
export const HEADERS_TIMEOUT_MS = 10_000;
/** How often Node looks for connections beyond their timeouts; its own 30 s would triple them. */
export const CONNECTIONS_CHECK_MS = 1000;
export const RETRY_AFTER_SECONDS = 5;
