/**
 * Decides how much memory a request may take before a byte of its body is read. A sender that does not say how long the
 * body is gets the room of the longest; large bodies draw on a budget that leaves the small ones theirs, because small
 * ones are nearly all deliveries there are.
 */
import type { DeliveryContentType } from '@sallyport/shared/db/delivery';
import { createByteBudget } from './byte-budget.ts';
import {
  BODY_LIMIT_BYTES,
  LARGE_BODIES_BYTES,
  SMALL_BODIES_BYTES,
  SMALL_BODY_BYTES,
} from './limits.ts';
import { Refusal } from './refusal.ts';

export interface Room {
  /** The most bytes that may be read into it. */
  bytes: number;
  release(): void;
}

export interface BodyRooms {
  /** @throws Refusal `too_large`, or `busy` while other requests hold the memory. */
  enter(contentType: DeliveryContentType, contentLength: string | undefined): Room;
}

export function createBodyRooms(): BodyRooms {
  const small = createByteBudget(SMALL_BODIES_BYTES);
  const large = createByteBudget(LARGE_BODIES_BYTES);
  return {
    enter(contentType, contentLength) {
      const limit = BODY_LIMIT_BYTES[contentType];
      const bytes = contentLength === undefined ? limit : Number(contentLength);
      if (!(bytes <= limit)) throw tooLarge(limit);
      const release = (bytes <= SMALL_BODY_BYTES ? small : large).take(bytes);
      if (release === null) {
        throw new Refusal('busy', 'other large deliveries are being stored; deliver again');
      }
      return { bytes, release };
    },
  };
}

/** The refusal of a body beyond its limit. */
export function tooLarge(limit: number): Refusal {
  return new Refusal('too_large', `the body is longer than ${limit} bytes`);
}
