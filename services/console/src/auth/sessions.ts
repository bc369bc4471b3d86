/**
 * Who is logged in. Kept in memory alone: a restart logs everybody out, and nothing that is stored anywhere lets anybody
 * in. The id is kept hashed, so that finding it takes no time that tells of it.
 */
import { createHash, randomBytes } from 'node:crypto';

export const SESSION_HOURS = 12;
const MAX_SESSIONS = 200;

export interface Session {
  /** What the operator said his name is; for the record, not for rights. */
  readonly name: string;
  /** Must come back with every act: a foreign page can send the cookie, but cannot read this. */
  readonly csrf: string;
  readonly expiresAt: number;
}

export interface Sessions {
  /** Logs somebody in; the id is the cookie's value. */
  open(name: string): { id: string; session: Session };
  find(id: string): Session | undefined;
  close(id: string): void;
}

export function createSessions(now: () => number): Sessions {
  const sessions = new Map<string, Session>();

  function forgetExpired(): void {
    for (const [key, session] of sessions) if (session.expiresAt <= now()) sessions.delete(key);
  }

  return {
    open(name) {
      forgetExpired();
      const [oldest] = sessions.keys();
      if (sessions.size >= MAX_SESSIONS && oldest !== undefined) sessions.delete(oldest);
      const id = randomBytes(32).toString('base64url');
      const session: Session = {
        name,
        csrf: randomBytes(32).toString('base64url'),
        expiresAt: now() + SESSION_HOURS * 3600 * 1000,
      };
      sessions.set(keyOf(id), session);
      return { id, session };
    },
    find(id) {
      const session = sessions.get(keyOf(id));
      return session !== undefined && session.expiresAt > now() ? session : undefined;
    },
    close(id) {
      sessions.delete(keyOf(id));
    },
  };
}

function keyOf(id: string): string {
  return createHash('sha256').update(id).digest('base64url');
}
