/**
 * The board of the queues: bull-board, for looking only. Three walls keep it so: no method but GET reaches it, every
 * queue is read-only to it, and its Redis user may run no command that writes.
 */
import { createBullBoard } from '@bull-board/api';
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter';
import { FastifyAdapter } from '@bull-board/fastify';
import { Queue } from 'bullmq';
import Fastify, { type FastifyInstance } from 'fastify';
import type { Logger } from '@sallyport/shared/log';
import { connectProducer } from '@sallyport/shared/queue/connection';
import { QUEUE_NAMES, QUEUE_ROLES, queuePrefix } from '@sallyport/shared/queue/contracts';

export interface BoardOptions {
  redisUrl: string;
  deployment: string;
  log: Logger;
}

/** Makes the board as a server of its own below `basePath`, ready to be handed requests; closing it lets go of Redis. */
export async function createBoard(
  options: BoardOptions,
  basePath: string,
): Promise<FastifyInstance> {
  const redis = connectProducer(options.redisUrl, options.log);
  const queues = QUEUE_NAMES.map((name) => {
    const queue = new Queue(name, {
      connection: redis,
      prefix: queuePrefix(options.deployment, name),
      skipVersionCheck: true,
      // A queue object writes its own version into Redis when it is made; this one may not.
      skipMetasUpdate: true,
    });
    queue.on('error', () => {});
    return new BullMQAdapter(queue, {
      readOnlyMode: true,
      allowRetries: false,
      description: `taken by ${QUEUE_ROLES[name].consumer}`,
    });
  });
  const adapter = new FastifyAdapter().setBasePath(basePath);
  createBullBoard({
    queues,
    serverAdapter: adapter,
    options: {
      // INFO tells of the whole server, which other deployments may share.
      uiConfig: { boardTitle: `Queues of ${options.deployment}`, hideRedisDetails: true },
    },
  });
  const board = Fastify({ logger: false, exposeHeadRoutes: true });
  board.addHook('onClose', async () => redis.disconnect());
  await board.register(adapter.registerPlugin(), { prefix: basePath });
  await board.ready();
  return board;
}
