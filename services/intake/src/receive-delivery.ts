/**
 * The way of one webhook request, in the order that matters: headers, room, bytes, signature, payload, store, answer.
 * Nothing is parsed before the signature is right, and nothing is answered with a yes before the commit.
 */
import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import { crashPoint } from '@sallyport/shared/crash-point';
import type { Logger } from '@sallyport/shared/log';
import type { BodyRooms } from './body-room.ts';
import { checkPayload } from './check-payload.ts';
import { readDeliveryHeaders } from './delivery-headers.ts';
import { SMALL_BODY_BYTES } from './limits.ts';
import { readBody } from './read-body.ts';
import { Refusal } from './refusal.ts';
import { beginSignatureCheck } from './signature.ts';
import type { StoreDelivery } from './store-delivery.ts';

export interface ReceiveOptions {
  /** The current secret, and the previous one while it rotates. */
  secrets: readonly string[];
  rooms: BodyRooms;
  store: StoreDelivery;
  /** Called when a large body has left. */
  freeMemory: () => void;
  log: Logger;
}

export type Received =
  | { status: 202; body: { delivery: string } }
  | { status: 200; body: { duplicate: true } };

/** Receives one delivery. @throws Refusal for every answer that is a no. */
export async function receiveDelivery(
  options: ReceiveOptions,
  headers: IncomingHttpHeaders,
  stream: Readable,
): Promise<Received> {
  const { signature, kept, ...known } = readDeliveryHeaders(headers);
  const room = options.rooms.enter(known.contentType, headers['content-length']);
  try {
    const check = beginSignatureCheck(options.secrets);
    const body = await readBody(stream, room.bytes, check);
    if (!check.matches(signature)) {
      throw new Refusal('bad_signature', 'the signature does not fit the body and our secret');
    }
    checkPayload(known.contentType, body.bytes);
    const result = await options
      .store({ ...known, headers: kept, body: body.bytes, bodySha256: body.sha256 })
      .catch((cause: unknown) => {
        throw new Refusal('unavailable', 'the delivery could not be stored; deliver again', {
          cause,
        });
      });
    crashPoint('intake:committed_not_answered');
    if (!result.stored) return { status: 200, body: { duplicate: true } };
    options.log.info(
      { deliveryId: result.id, guid: known.guid, event: known.event },
      'delivery stored',
    );
    return { status: 202, body: { delivery: result.id } };
  } finally {
    room.release();
    // Later: this call's own frame still holds the body.
    if (room.bytes > SMALL_BODY_BYTES) setImmediate(options.freeMemory);
  }
}
