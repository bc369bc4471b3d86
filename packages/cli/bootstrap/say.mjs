/** What the bootstrap tells its user: one line each, on standard error. */

/** A reason for which the command cannot run; its message is one line and names the mend. */
export class Refusal extends Error {}

export function say(text) {
  process.stderr.write(`sallyport: ${text}\n`);
}
