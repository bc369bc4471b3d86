/**
 * Statements whose failure says which kind it is: a database that cannot be reached (or is going away, or has no room)
 * is `unavailable`; a statement that it refuses is a defect.
 */
import type { Queryable } from '@sallyport/shared/db/pool';
import { AppError } from '@sallyport/shared/errors';

/** SQLSTATE classes of a server that is not there: connection, resources, operator intervention. */
const OUTAGE_CLASSES = new Set(['08', '53', '57']);

/** The same statements; @throws AppError `unavailable` where the database could not be asked. */
export function createGuardedDb(db: Queryable): Queryable {
  return {
    async query(text, values) {
      try {
        return await db.query(text, values);
      } catch (error) {
        throw isOutage(error)
          ? new AppError('unavailable', 'asking Postgres', { cause: error })
          : error;
      }
    },
  };
}

// A server's own answer carries a `severity`; what has none was said by the client, about the connection.
function isOutage(error: unknown): boolean {
  const { severity, code } = error as { severity?: unknown; code?: unknown };
  if (severity === undefined) return true;
  return typeof code === 'string' && OUTAGE_CLASSES.has(code.slice(0, 2));
}
