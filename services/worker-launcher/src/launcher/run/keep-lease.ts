/**
 * Keeps a lease alive while its run is worked on, and says so the moment it cannot be known to be held any more. Time is
 * counted from before each renewal was sent: the database's clock ran on while the answer came back.
 */
import { renewLease, type Lease } from '@sallyport/shared/db/lease';
import type { Queryable } from '@sallyport/shared/db/pool';
import type { Logger } from '@sallyport/shared/log';

export interface LeaseKeeper {
  stop(): void;
}

/** Renews the lease every third of its time, sooner after a failure. `onLost` is called at most once, also when Postgres cannot be reached. */
export function keepLease(options: {
  db: Queryable;
  lease: Lease;
  seconds: number;
  log: Logger;
  onLost: () => void;
}): LeaseKeeper {
  const { db, lease, seconds, log } = options;
  let over = false;
  let busy = false;
  let retry: NodeJS.Timeout | undefined;
  let deadline = setTimeout(lose, seconds * 1000);
  const timer = setInterval(() => void renew(), (seconds * 1000) / 3);

  function stop(): void {
    over = true;
    clearInterval(timer);
    clearTimeout(deadline);
    clearTimeout(retry);
  }

  function lose(): void {
    if (over) return;
    stop();
    log.warn({ fence: lease.fence }, 'the lease is lost');
    options.onLost();
  }

  async function renew(): Promise<void> {
    if (over || busy) return;
    busy = true;
    const sentAt = Date.now();
    try {
      const held = await renewLease(db, lease, seconds);
      if (!held) return lose();
      if (over) return;
      clearTimeout(deadline);
      deadline = setTimeout(lose, sentAt + seconds * 1000 - Date.now());
    } catch (error) {
      // The deadline stands: what cannot be renewed in time is lost.
      log.warn({ err: error }, 'renewing the lease failed');
      if (!over) retry = setTimeout(() => void renew(), (seconds * 1000) / 10);
    } finally {
      busy = false;
    }
  }

  return { stop };
}
