/**
 * The half that every main shares: configuration, log, Postgres, Redis, halt, presence, outbox, start, drain, stop. A main
 * says what it holds and what it consumes; everything that must be the same in all of them happens here.
 * Exit codes: 0 asked to stop, 1 crashed, 2 bad configuration, 3 schema newer than the code.
 */
import { hostname } from 'node:os';
import closeWithGrace from 'close-with-grace';
import type { Redis } from 'ioredis';
import { z } from 'zod';
import { COMMON_VALUES } from './common-values.ts';
import { loadConfig, type ConfigOf, type ConfigSpec } from './config.ts';
import { createListener, type Listener } from './db/listen.ts';
import { requireSchema } from './db/migrate.ts';
import { createPool, type Pool } from './db/pool.ts';
import { appear, beat, disappear } from './db/presence.ts';
import { AppError, errorCodeOf } from './errors.ts';
import { createHaltGuard, type HaltGuard } from './halt/guard.ts';
import { newId } from './ids.ts';
import { createLogger, type Logger } from './log.ts';
import type { Process } from './processes.ts';
import { queuesOf } from './queue/acl.ts';
import type { Consumer } from './queue/consumer.ts';
import type { QueueData, QueueName } from './queue/contracts.ts';

const BEAT_MS = 500;
const DRAIN_DEADLINE_MS = 8000;
const GRACE_MS = 12_000;

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

/** Runs a service until it is asked to stop or cannot go on. Never returns while the service lives. */
export async function runService<V extends z.ZodRawShape, S extends z.ZodRawShape>(
  spec: ServiceSpec<V, S>,
): Promise<void> {
  // Node opens its inspector on SIGUSR1, for any local user to attach to; a handler takes that away.
  process.on('SIGUSR1', () => {});
  let config: ConfigOf<V, S> & CommonConfig;
  try {
    config = loadConfig(environmentOf(spec.config), process.env) as ConfigOf<V, S> & CommonConfig;
  } catch (error) {
    process.stderr.write(`${spec.name}: ${(error as Error).message}\n`);
    process.exit(errorCodeOf(error) === 'bad_config' ? 2 : 1);
  }
  const log = createLogger(spec.name, config.LOG_LEVEL);
  try {
    await run(spec, config, log);
  } catch (error) {
    log.fatal({ err: error }, 'service failed to start');
    process.exit(exitCodeOf(error));
  }
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

function exitCodeOf(error: unknown): number {
  const code = errorCodeOf(error);
  if (code === 'schema_newer') return 3;
  return code === 'bad_config' ? 2 : 1;
}

async function run<V extends z.ZodRawShape, S extends z.ZodRawShape>(
  spec: ServiceSpec<V, S>,
  config: ConfigOf<V, S> & CommonConfig,
  log: Logger,
): Promise<void> {
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
  const timers: NodeJS.Timeout[] = [];
  const periodic = new Set<Promise<void>>();

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

  function every(name: string, ms: number, work: () => Promise<void>): void {
    let busy = false;
    function tick(): void {
      if (busy || stopping.signal.aborted) return;
      busy = true;
      const turn = work()
        .catch((error: unknown) => log.warn({ err: error, name }, 'periodic work failed'))
        .finally(() => {
          busy = false;
          periodic.delete(turn);
        });
      periodic.add(turn);
    }
    timers.push(setInterval(tick, ms));
    tick();
  }

  every('presence', BEAT_MS, () => beat(db, instance, halt.seenVersion()));
  halt.onChange(() => void beat(db, instance, halt.seenVersion()).catch(() => {}));

  const stopService = await spec.start({
    config,
    deployment,
    instance,
    log,
    db,
    listener,
    halt,
    every,
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

  closeWithGrace({ delay: GRACE_MS, logger: false }, async ({ err, signal }) => {
    if (err !== undefined) log.fatal({ err }, 'service crashed');
    else log.info({ signal }, 'stopping');
    stopping.abort();
    for (const timer of timers) clearInterval(timer);
    await Promise.allSettled(consumers.map((consumer) => consumer.stop(DRAIN_DEADLINE_MS)));
    await stopService?.();
    await Promise.allSettled(periodic);
    await forwarder?.stop();
    halt.stop();
    await disappear(db, instance).catch(() => {});
    await listener.close();
    for (const redis of connections) redis.disconnect();
    await db.end();
    log.info('stopped');
  });
  log.info({ instance, deployment }, 'ready');
}
