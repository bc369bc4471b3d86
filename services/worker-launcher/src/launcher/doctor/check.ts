/** One thing that a launcher needs of its machine, and whether it has it. */

export const CHECK_RESULTS = ['pass', 'warn', 'fail'] as const;
export type CheckResult = (typeof CHECK_RESULTS)[number];

export interface Check {
  id: string;
  /** `warn`: it works, with something less than there could be. */
  result: CheckResult;
  /** What was found, in words. */
  message: string;
  /** What to do about it; null when there is nothing to do. */
  mend: string | null;
}

export function pass(id: string, message: string): Check {
  return { id, result: 'pass', message, mend: null };
}

export function warn(id: string, message: string, mend: string): Check {
  return { id, result: 'warn', message, mend };
}

export function fail(id: string, message: string, mend: string): Check {
  return { id, result: 'fail', message, mend };
}
