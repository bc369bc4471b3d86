/**
 * What `service.ts` is to the processes with a role in Postgres, for those that have none: configuration, log, periodic
 * work, start, stop. Such a process holds something that nobody who can reach a database should also hold.
 */
import type { z } from 'zod';
import { COMMON_VALUES } from './common-values.ts';
import { loadConfig, type ConfigOf, type ConfigSpec } from './config.ts';
import type { Logger } from './log.ts';
import { createPeriodic } from './periodic.ts';
import { runProcess } from './run-process.ts';

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
export function runPlainService<V extends z.ZodRawShape, S extends z.ZodRawShape>(
  spec: PlainServiceSpec<V, S>,
): Promise<void> {
  const { values, secrets } = spec.config;
  const whole = { values: { ...COMMON_VALUES, ...values }, secrets };
  return runProcess(
    spec.name,
    () => loadConfig(whole, process.env) as ConfigOf<V, S> & CommonConfig,
    async (config, log) => {
      const deployment = config.DEPLOYMENT_ID;
      const periodic = createPeriodic(log);
      const stopService = await spec.start({ config, deployment, log, every: periodic.every });
      return {
        facts: { deployment },
        async stop() {
          periodic.end();
          await stopService();
          await periodic.settled();
        },
      };
    },
  );
}
