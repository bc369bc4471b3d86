/**
 * Reads replies at the edge. A body that was cut on its way arrives as an empty text under a good status, and an answer
 * to something else than was asked looks like success, so status and shape are both checked, always.
 */
import { AppError } from '@sallyport/shared/errors';
import type { z } from 'zod';

/**
 * The fields of a reply that this code relies on.
 * @throws AppError `transient` for another status or shape: the act may have happened, so look before repeating it.
 */
export function readReply<S extends z.ZodType>(
  schema: S,
  reply: { status: number; data: unknown },
  what: string,
  status = 200,
): z.infer<S> {
  const parsed = schema.safeParse(reply.data);
  if (reply.status !== status || !parsed.success) {
    throw new AppError('transient', `${what}: GitHub's reply has another form than expected`, {
      detail: { status: reply.status, expected: status },
    });
  }
  return parsed.data;
}
