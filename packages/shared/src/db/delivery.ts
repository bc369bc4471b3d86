/** Webhook requests as received. A delivery is settled once: whoever finds it settled has nothing left to do. */
import type { Queryable } from './pool.ts';

export const DELIVERY_STATES = ['stored', 'handled', 'not_for_us', 'unusable'] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];
export type DeliveryContentType = 'json' | 'form';

export interface NewDelivery {
  id: string;
  targetType: string;
  targetId: string;
  guid: string;
  event: string;
  contentType: DeliveryContentType;
  headers: Record<string, string>;
  body: Buffer;
  bodySha256: string;
}

export interface DeliveryRow {
  id: string;
  guid: string;
  event: string;
  contentType: DeliveryContentType;
  body: Buffer;
  bodySha256: string;
  state: DeliveryState;
  receivedAt: Date;
}

/** Stores a delivery. False: one with this target and GUID is there already, and nothing was done. */
export async function insertDelivery(db: Queryable, delivery: NewDelivery): Promise<boolean> {
  const { rowCount } = await db.query(
    `insert into delivery (id, target_type, target_id, guid, event, content_type, headers, body, body_sha256)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9) on conflict (target_type, target_id, guid) do nothing`,
    [
      delivery.id,
      delivery.targetType,
      delivery.targetId,
      delivery.guid,
      delivery.event,
      delivery.contentType,
      delivery.headers,
      delivery.body,
      delivery.bodySha256,
    ],
  );
  return rowCount === 1;
}

export async function findDelivery(db: Queryable, id: string): Promise<DeliveryRow | null> {
  const { rows } = await db.query<DeliveryRow>(
    `select id, guid, event, content_type as "contentType", body, body_sha256 as "bodySha256", state,
       received_at as "receivedAt"
     from delivery where id = $1`,
    [id],
  );
  return rows[0] ?? null;
}

/** Settles a stored delivery, for good. False: it was settled before. */
export async function settleDelivery(
  db: Queryable,
  id: string,
  state: Exclude<DeliveryState, 'stored'>,
  reason: string | null,
): Promise<boolean> {
  const { rowCount } = await db.query(
    `update delivery set state = $2, state_reason = $3, handled_at = now() where id = $1 and state = 'stored'`,
    [id, state, reason],
  );
  return rowCount === 1;
}

/** Says why a settled delivery led to no task of its own. */
export async function explainDelivery(db: Queryable, id: string, reason: string): Promise<void> {
  await db.query('update delivery set state_reason = $2 where id = $1', [id, reason]);
}

/** Deliveries that were stored at least so many seconds ago and that nobody settled, oldest first. */
export async function listUnsettledDeliveries(
  db: Queryable,
  idleSeconds: number,
  limit = 100,
): Promise<string[]> {
  const { rows } = await db.query<{ id: string }>(
    `select id from delivery
     where state = 'stored' and received_at <= now() - $1 * interval '1 second' order by received_at limit $2`,
    [idleSeconds, limit],
  );
  return rows.map((row) => row.id);
}
