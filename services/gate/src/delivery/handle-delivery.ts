/**
 * Turns one stored delivery into a task, or settles it as nothing. The settling, the task and the message about it are one
 * transaction that begins with the settling, so that two handlers of one delivery, and two deliveries of one comment,
 * make one task.
 */
import { crashPoint } from '@sallyport/shared/crash-point';
import {
  explainDelivery,
  findDelivery,
  settleDelivery,
  type DeliveryRow,
} from '@sallyport/shared/db/delivery';
import { upsertInstallation } from '@sallyport/shared/db/installation';
import { enqueue } from '@sallyport/shared/db/outbox';
import { inTransaction, isDataError } from '@sallyport/shared/db/pool';
import { upsertRepository } from '@sallyport/shared/db/repository';
import { insertTask } from '@sallyport/shared/db/task-admission';
import { appendEvent } from '@sallyport/shared/db/timeline';
import { newId } from '@sallyport/shared/ids';
import type { Gate } from '../gate.ts';
import { parseDelivery, type CommandEvent } from './parse-delivery.ts';

/** Handles a delivery, however often it is called; the id of the task that this call made, if it made one. */
export async function handleDelivery(gate: Gate, deliveryId: string): Promise<string | null> {
  const delivery = await findDelivery(gate.db, deliveryId);
  if (delivery === null || delivery.state !== 'stored') return null;
  const parsed = parseDelivery(delivery, gate.own);
  if (parsed.kind === 'command') {
    try {
      return await makeTask(gate, delivery, parsed);
    } catch (error) {
      // Tried again it would fail again, at every sweep.
      if (!isDataError(error)) throw error;
      gate.log.error({ err: error, deliveryId }, 'a delivery cannot be stored as a task');
      await settleDelivery(gate.db, delivery.id, 'unusable', 'not_storable');
      return null;
    }
  }
  const settled = await settleDelivery(gate.db, delivery.id, parsed.kind, parsed.reason);
  if (settled) {
    gate.log.info(
      { deliveryId, event: delivery.event, outcome: parsed.kind, reason: parsed.reason },
      'delivery settled',
    );
  }
  return null;
}

async function makeTask(
  gate: Gate,
  delivery: DeliveryRow,
  event: CommandEvent,
): Promise<string | null> {
  const taskId = newId();
  const made = await inTransaction(gate.db, async (tx) => {
    if (!(await settleDelivery(tx, delivery.id, 'handled', null))) return false;
    await upsertInstallation(tx, event.installationId, event.repository.owner);
    await upsertRepository(tx, { ...event.repository, installationId: event.installationId });
    const isNew = await insertTask(tx, {
      id: taskId,
      deliveryId: delivery.id,
      sourceKey: event.sourceKey,
      installationId: event.installationId,
      repositoryId: event.repository.id,
      subjectKind: event.subject.kind,
      subjectNumber: event.subject.number,
      verb: event.command.verb,
      act: 'pull_request',
      team: event.command.team ?? gate.teams.defaultName,
      requesterId: event.requester.id,
      requesterLogin: event.requester.login,
      commentId: event.comment.id,
    });
    if (!isNew) {
      await explainDelivery(tx, delivery.id, 'duplicate_event');
      return false;
    }
    await appendEvent(tx, taskId, 'delivery_stored', {
      deliveryId: delivery.id,
      guid: delivery.guid,
      event: delivery.event,
      receivedAt: delivery.receivedAt.toISOString(),
      bodySha256: delivery.bodySha256,
    });
    await enqueue(tx, 'gate', { v: 1, taskId });
    crashPoint('gate:task_not_committed');
    return true;
  });
  crashPoint('gate:task_made');
  if (!made) return null;
  gate.log.info({ deliveryId: delivery.id, taskId, verb: event.command.verb }, 'task made');
  return taskId;
}
