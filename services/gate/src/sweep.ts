/**
 * Finds what was forgotten: deliveries without a settling, tasks without a decision, admitted work without a message. With
 * it, losing Redis and every nudge costs seconds and nothing else.
 */
import { listUnsettledDeliveries } from '@sallyport/shared/db/delivery';
import { listTasksIn } from '@sallyport/shared/db/task';
import { enqueueUnclaimedWork } from '@sallyport/shared/db/task-admission';
import { advanceTask } from './assess/advance-task.ts';
import { handleDelivery } from './delivery/handle-delivery.ts';
import type { Gate } from './gate.ts';

export interface SweepAges {
  deliverySeconds: number;
  taskSeconds: number;
  /** How long an admitted task may stay unclaimed before another message is sent; also the time between two of them. */
  workSeconds: number;
}

export const SWEEP_AGES: SweepAges = { deliverySeconds: 5, taskSeconds: 3, workSeconds: 15 };
const BATCH = 500;

/** One sweep. An item that fails is logged and does not keep the others waiting. */
export async function sweep(gate: Gate, ages: SweepAges = SWEEP_AGES): Promise<void> {
  for (const id of await listUnsettledDeliveries(gate.db, ages.deliverySeconds, BATCH)) {
    await attempt(gate, { deliveryId: id }, async () => {
      const taskId = await handleDelivery(gate, id);
      if (taskId !== null) await advanceTask(gate, taskId);
    });
  }
  for (const task of await listTasksIn(
    gate.db,
    ['received', 'assessing'],
    ages.taskSeconds,
    BATCH,
  )) {
    await attempt(gate, { taskId: task.id }, () => advanceTask(gate, task.id));
  }
  const again = await enqueueUnclaimedWork(gate.db, ages.workSeconds);
  if (again > 0) gate.log.warn({ tasks: again }, 'admitted work was unclaimed; sent again');
}

async function attempt(
  gate: Gate,
  what: Record<string, string>,
  work: () => Promise<void>,
): Promise<void> {
  try {
    await work();
  } catch (error) {
    gate.log.error({ ...what, err: error }, 'sweeping failed');
  }
}
