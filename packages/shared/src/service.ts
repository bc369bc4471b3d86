/**
 * The half that every main with a database shares: Postgres, Redis, halt, presence, outbox, drain. A main says what it holds
 * and what it consumes; everything that must be the same in all of them happens here.
 */
import { hostname } from 'node:os';
import type { Redis } from 'ioredis';
import { z } from 'zod';
import { COMMON_VALUES } from './common-values.ts';
import { loadConfig, type ConfigOf, type ConfigSpec } from './config.ts';
import { createListener, type Listener } from './db/listen.ts';
import { requireSchema } from './db/migrate.ts';
import { createPool, type Pool } from './db/pool.ts';
import { appear, beat, disappear } from './db/presence.ts';
import { AppError } from './errors.ts';
import { createHaltGuard, type HaltGuard } from './halt/guard.ts';
import { newId } from './ids.ts';
import type { Logger } from './log.ts';
import { createPeriodic } from './periodic.ts';
import type { Process } from './processes.ts';
import { queuesOf } from './queue/acl.ts';
import type { Consumer } from './queue/consumer.ts';
import type { QueueData, QueueName } from './queue/contracts.ts';
import { runProcess, type Started } from './run-process.ts';

const BEAT_MS = 500;
const DRAIN_DEADLINE_MS = 8000;

const COMMON_SECRETS = { DATABASE_URL: z.string().min(1), REDIS_URL: z.string().min(1) };
type CommonConfig = ConfigOf<typeof COMMON_VALUES, typeof COMMON_SECRETS>;

/** What a service is given to work with. */
export interface ServiceContext<C> {
  config: C & CommonConfig;
  deployment: string;
  /** Names this very process among all that ever ran. */
  instance: string;
  log: Logger;
  db: Pool;
  listener: Listener;
  halt: HaltGuard;
  /** Starts taking jobs of a queue; stopped by the service itself. */
  readonly consume: <Q extends QueueName>(
    queue: Q,
    concurrency: number,
    handle: (data: QueueData<Q>) => Promise<void>,
  ) => void;
  /** Runs the work now and then every so often, never twice at once; failures are logged. Sweeps are made of this. */
  readonly every: (name: string, ms: number, work: () => Promise<void>) => void;
  /** Aborted when the process begins to stop. */
  stopping: AbortSignal;
}

export interface ServiceSpec<V extends z.ZodRawShape, S extends z.ZodRawShape> {
  name: Process;
  config: ConfigSpec<V, S>;
  /** Wires the service; returns what to do when it stops, before queues and connections close. */
  start(context: ServiceContext<ConfigOf<V, S>>): Promise<(() => Promise<void>) | void>;
}

/** The whole environment that a service reads, as one specification: what a deployment must give it, and no more. */
export function environmentOf<V extends z.ZodRawShape, S extends z.ZodRawShape>(
  config: ConfigSpec<V, S>,
): ConfigSpec<V & typeof COMMON_VALUES, S & typeof COMMON_SECRETS> {
  return {
    values: { ...COMMON_VALUES, ...config.values },
    secrets: { ...COMMON_SECRETS, ...config.secrets },
  };
}

/** Runs a service until it is asked to stop or cannot go on. */
export function runService<V extends z.ZodRawShape, S extends z.ZodRawShape>(
  spec: ServiceSpec<V, S>,
): Promise<void> {
  return runProcess(
    spec.name,
    () => loadConfig(environmentOf(spec.config), process.env) as ConfigOf<V, S> & CommonConfig,
    (config, log) => start(spec, config, log),
  );
}

// A process with no part in any queue (the console) keeps no connection to Redis and does not pay for the library.
async function loadQueueing() {
  const [connection, consumer, forwarder] = await Promise.all([
    import('./queue/connection.ts'),
    import('./queue/consumer.ts'),
    import('./queue/forwarder.ts'),
  ]);
  return { ...connection, ...consumer, ...forwarder };
}

async function start<V extends z.ZodRawShape, S extends z.ZodRawShape>(
  spec: ServiceSpec<V, S>,
  config: ConfigOf<V, S> & CommonConfig,
  log: Logger,
): Promise<Started> {
  const deployment = config.DEPLOYMENT_ID;
  const instance = newId();
  const poolOptions = { url: config.DATABASE_URL, deployment, process: spec.name };
  const db = createPool(poolOptions);
  await requireSchema(db).catch((error: unknown) => {
    throw error instanceof AppError
      ? error
      : new AppError('unavailable', 'reading the schema version', { cause: error });
  });
  const listener = createListener(poolOptions, log);
  const halt = createHaltGuard({ db, listener, log });
  const stopping = new AbortController();
  const consumers: Consumer[] = [];
  const connections: Redis[] = [];
  const periodic = createPeriodic(log);

  function onForbidden(error: unknown): void {
    log.fatal({ err: error }, 'Redis refuses this process; its access list or password is wrong');
    process.exit(2);
  }

  await appear(db, instance, hostname());
  const queueing = queuesOf(spec.name).length === 0 ? undefined : await loadQueueing();
  const producer = queueing?.connectProducer(config.REDIS_URL, log, onForbidden);
  if (producer !== undefined) connections.push(producer);
  const forwarder =
    producer &&
    queueing?.startForwarder({
      db,
      redis: producer,
      deployment,
      process: spec.name,
      listener,
      log,
      onForbidden,
    });

  periodic.every('presence', BEAT_MS, () => beat(db, instance, halt.seenVersion()));
  halt.onChange(() => void beat(db, instance, halt.seenVersion()).catch(() => {}));

  const stopService = await spec.start({
    config,
    deployment,
    instance,
    log,
    db,
    listener,
    halt,
    every: periodic.every,
    stopping: stopping.signal,
    consume(queue, concurrency, handle) {
      if (queueing === undefined) throw new AppError('forbidden', `${spec.name} takes no jobs`);
      const redis = queueing.connectConsumer(config.REDIS_URL, log, onForbidden);
      connections.push(redis);
      consumers.push(
        queueing.startConsumer({ queue, deployment, redis, concurrency, log, handle, onForbidden }),
      );
    },
  });

  return {
    facts: { instance, deployment },
    async stop() {
      stopping.abort();
      periodic.end();
      await Promise.allSettled(consumers.map((consumer) => consumer.stop(DRAIN_DEADLINE_MS)));
      await stopService?.();
      await periodic.settled();
      await forwarder?.stop();
      halt.stop();
      await disappear(db, instance).catch(() => {});
      await listener.close();
      for (const redis of connections) redis.disconnect();
      await db.end();
    },
  };
}
