/**
 * Stores a delivery and the message about it in one transaction: after the commit nothing about it can be lost, and
 * before the commit nothing is answered.
 */
import { crashPoint } from '@sallyport/shared/crash-point';
import { enqueue } from '@sallyport/shared/db/outbox';
import { insertDelivery, type NewDelivery } from '@sallyport/shared/db/delivery';
import { inTransaction, type Pool } from '@sallyport/shared/db/pool';
import { newId } from '@sallyport/shared/ids';
import { SMALL_BODY_BYTES } from './limits.ts';

export type StoreDelivery = (
  delivery: Omit<NewDelivery, 'id'>,
) => Promise<{ stored: true; id: string } | { stored: false }>;

/** A function that stores deliveries; `stored: false` means that the same one was stored before. Throws what Postgres throws. */
export function createStoreDelivery(db: Pool): StoreDelivery {
  // The driver copies a parameter several times on its way out: one large body at a time keeps that bounded.
  let lastLarge: Promise<unknown> = Promise.resolve();
  return (delivery) => {
    if (delivery.body.length <= SMALL_BODY_BYTES) return store(db, delivery);
    const turn = lastLarge.then(() => store(db, delivery));
    lastLarge = turn.catch(() => {});
    return turn;
  };
}

async function store(
  db: Pool,
  delivery: Omit<NewDelivery, 'id'>,
): Promise<{ stored: true; id: string } | { stored: false }> {
  const id = newId();
  return inTransaction(db, async (tx) => {
    if (!(await insertDelivery(tx, { id, ...delivery }))) return { stored: false };
    await enqueue(tx, 'gate', { v: 1, deliveryId: id });
    crashPoint('intake:storing_not_committed');
    return { stored: true, id };
  });
}
