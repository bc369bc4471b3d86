/**
 * Launchers that share a state directory also share what they made in it. Whoever takes something into use and whoever
 * removes what nobody uses do so under one lock, so that nothing is removed under the feet of a run.
 */
import { inTransaction, type Pool, type Transaction } from './pool.ts';

/** Runs the work while no other process of this deployment does the same; the work should take moments. */
export function withEnvironmentLock<T>(
  pool: Pool,
  work: (tx: Transaction) => Promise<T>,
): Promise<T> {
  return inTransaction(pool, async (tx) => {
    await tx.query(
      `select pg_advisory_xact_lock(hashtextextended(current_schema() || ':environments', 5))`,
    );
    return work(tx);
  });
}
