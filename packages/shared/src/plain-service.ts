/**
 * What `service.ts` is to the processes with a role in Postgres, for those that have none: configuration, log, periodic
 * work, start, stop. Such a process holds something that nobody who can reach a database should also hold.
 * Exit codes: 0 asked to stop, 1 crashed, 2 bad configuration.
 */
import closeWithGrace from 'close-with-grace';
import type { z } from 'zod';
import { COMMON_VALUES } from './common-values.ts';
import { loadConfig, type ConfigOf, type ConfigSpec } from './config.ts';
import { errorCodeOf } from './errors.ts';
import { createLogger, type Logger } from './log.ts';

const GRACE_MS = 12_000;

type CommonConfig = z.infer<z.ZodObject<typeof COMMON_VALUES>>;

/** What such a service is given to work with. */
export interface PlainContext<C> {
  config: C & CommonConfig;
  deployment: string;
  log: Logger;
  /** Runs the work now and then every so often, never twice at once; failures are logged. */
  readonly every: (name: string, ms: number, work: () => Promise<void>) => void;
}

export interface PlainServiceSpec<V extends z.ZodRawShape, S extends z.ZodRawShape> {
  name: string;
  config: ConfigSpec<V, S>;
  /** Wires the service; returns what to do when it stops. */
  start(context: PlainContext<ConfigOf<V, S>>): Promise<() => Promise<void>>;
}

/** Runs a service without a database until it is asked to stop or cannot go on. */
export async function runPlainService<V extends z.ZodRawShape, S extends z.ZodRawShape>(
  spec: PlainServiceSpec<V, S>,
): Promise<void> {
  // Node opens its inspector on SIGUSR1, for any local user to attach to; a handler takes that away.
  process.on('SIGUSR1', () => {});
  let config: ConfigOf<V, S> & CommonConfig;
  try {
    const { values, secrets } = spec.config;
    const whole = { values: { ...COMMON_VALUES, ...values }, secrets };
    config = loadConfig(whole, process.env) as ConfigOf<V, S> & CommonConfig;
  } catch (error) {
    process.stderr.write(`${spec.name}: ${(error as Error).message}\n`);
    process.exit(exitCodeOf(error));
  }
  const log = createLogger(spec.name, config.LOG_LEVEL);
  try {
    await run(spec, config, log);
  } catch (error) {
    log.fatal({ err: error }, 'service failed to start');
    process.exit(exitCodeOf(error));
  }
}

function exitCodeOf(error: unknown): number {
  return errorCodeOf(error) === 'bad_config' ? 2 : 1;
}

async function run<V extends z.ZodRawShape, S extends z.ZodRawShape>(
  spec: PlainServiceSpec<V, S>,
  config: ConfigOf<V, S> & CommonConfig,
  log: Logger,
): Promise<void> {
  const deployment = config.DEPLOYMENT_ID;
  const timers: NodeJS.Timeout[] = [];
  const periodic = new Set<Promise<void>>();

  function every(name: string, ms: number, work: () => Promise<void>): void {
    let busy = false;
    function tick(): void {
      if (busy) return;
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

  const stopService = await spec.start({ config, deployment, log, every });
  closeWithGrace({ delay: GRACE_MS, logger: false }, async ({ err, signal }) => {
    if (err !== undefined) log.fatal({ err }, 'service crashed');
    else log.info({ signal }, 'stopping');
    for (const timer of timers) clearInterval(timer);
    await stopService();
    await Promise.allSettled(periodic);
    log.info('stopped');
  });
  log.info({ deployment }, 'ready');
}
