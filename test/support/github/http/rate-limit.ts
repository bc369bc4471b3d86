/** GitHub's hourly count per installation (and one for the App itself), as headers and as `GET /rate_limit`. */
import type { State } from '../state/state.ts';
import type { Json } from '../view/common.ts';
import { Refused } from './reply.ts';
import type { Actor } from './route.ts';

const WINDOW_MS = 60 * 60 * 1000;

interface Count {
  used: number;
  resetAt: number;
}

export interface RateLimit {
  /** Counts one request; throws GitHub's 403 when the hour is used up. */
  spend(actor: Actor): void;
  headers(actor: Actor): Record<string, string>;
  view(actor: Actor): Json;
}

export function createRateLimit(state: State): RateLimit {
  const counts = new Map<string, Count>();
  const countOf = (actor: Actor): Count => {
    const key = actor.kind === 'token' ? `installation ${actor.installation.id}` : actor.kind;
    const now = state.now().getTime();
    const known = counts.get(key);
    if (known && known.resetAt > now) return known;
    const fresh = { used: 0, resetAt: now + WINDOW_MS };
    counts.set(key, fresh);
    return fresh;
  };
  const numbers = (
    actor: Actor,
  ): { limit: number; remaining: number; reset: number; used: number } => {
    const { used, resetAt } = countOf(actor);
    const remaining = Math.max(0, state.rateLimit - used);
    return { limit: state.rateLimit, remaining, reset: Math.floor(resetAt / 1000), used };
  };
  return {
    spend: (actor) => {
      const count = countOf(actor);
      if (count.used >= state.rateLimit) {
        const whom =
          actor.kind === 'token' ? `installation ID ${actor.installation.id}` : 'this App';
        throw new Refused(403, `API rate limit exceeded for ${whom}.`);
      }
      count.used += 1;
    },
    headers: (actor) => {
      const { limit, remaining, reset, used } = numbers(actor);
      return {
        'x-ratelimit-limit': String(limit),
        'x-ratelimit-remaining': String(remaining),
        'x-ratelimit-reset': String(reset),
        'x-ratelimit-used': String(used),
        'x-ratelimit-resource': 'core',
      };
    },
    view: (actor) => {
      const core = numbers(actor);
      return {
        resources: { core, graphql: core, search: { ...core, limit: 30, remaining: 30, used: 0 } },
        rate: core,
      };
    },
  };
}
