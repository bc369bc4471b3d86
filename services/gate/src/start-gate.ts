/** Wires the gate to what wakes it: jobs, answers to its questions, a release, and the sweep that needs none of them. */
import { findGithubRequest } from '@sallyport/shared/db/github-request';
import type { ServiceContext } from '@sallyport/shared/service';
import { advanceTask } from './assess/advance-task.ts';
import { handleDelivery } from './delivery/handle-delivery.ts';
import type { Gate } from './gate.ts';
import { sweep, SWEEP_AGES } from './sweep.ts';

const CONCURRENCY = 4;
const SWEEP_EVERY_MS = 3000;

type Wakers = Pick<ServiceContext<unknown>, 'consume' | 'listener' | 'halt' | 'every' | 'stopping'>;

/** Begins to work. Everything it starts is ended by the service. */
export function startGate(wakers: Wakers, gate: Gate): void {
  const { stopping } = wakers;

  function nudge(work: Promise<unknown>): void {
    work.catch((error: unknown) =>
      gate.log.warn({ err: error }, 'a nudge was not followed; the sweep will'),
    );
  }

  async function onAnswer(requestId: string): Promise<void> {
    const request = await findGithubRequest(gate.db, requestId);
    if (request !== null) await advanceTask(gate, request.taskId);
  }

  wakers.consume('gate', CONCURRENCY, async (data) => {
    const taskId = 'deliveryId' in data ? await handleDelivery(gate, data.deliveryId) : data.taskId;
    if (taskId !== null) await advanceTask(gate, taskId);
  });
  wakers.listener.on('github_request', (requestId) => {
    if (requestId !== '' && !stopping.aborted) nudge(onAnswer(requestId));
  });
  wakers.every('sweep', SWEEP_EVERY_MS, () => sweep(gate));
  wakers.halt.onChange(() => {
    // After a release everything that waited is due, however young.
    if (!stopping.aborted) nudge(sweep(gate, { ...SWEEP_AGES, taskSeconds: 0 }));
  });
}
