/** Why a publication goes no further, and whether a person can still let it. */

/** `hold`: a person can mend or decide it; `reject`: the result itself is refused. */
export interface Stop {
  decision: 'hold' | 'reject';
  /** lower_snake; stands in the task, the verdict and the timeline. */
  reason: string;
  /** For people: full sentences. */
  message: string;
}

export function hold(reason: string, message: string): Stop {
  return { decision: 'hold', reason, message };
}

export function reject(reason: string, message: string): Stop {
  return { decision: 'reject', reason, message };
}
