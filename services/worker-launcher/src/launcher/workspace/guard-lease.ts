/**
 * Says to the guard that this launcher lives. What a launcher that is killed leaves running has nobody to end it but the
 * guard, which does so when this was not said for a while.
 */
import { AppError } from '@sallyport/shared/errors';
import { wordsOf, type GuardClient } from './guard-client.ts';

/** A sixth of a lease's life: some may be missed. */
export const RENEW_LEASE_MS = 5_000;

/** @throws AppError `unavailable` or `forbidden`: the lease was not renewed. */
export async function renewGuardLease(guard: GuardClient, instance: string): Promise<void> {
  const answer = await guard.ask('POST', `/leases/${instance}`);
  if (answer.status < 300) return;
  throw new AppError('forbidden', `the engine's guard renews no lease: ${wordsOf(answer)}`);
}
