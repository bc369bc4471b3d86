/** Time as a dependency, so that expiry, deadlines and sweeps can be tested without waiting. */

export interface Clock {
  now(): Date;
}

export const systemClock: Clock = { now: () => new Date() };
