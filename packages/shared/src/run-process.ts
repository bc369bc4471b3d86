/**
 * The outermost frame of every main, with a database or without: what is not to be opened, configuration, log, start, stop.
 * Exit codes: 0 asked to stop, 1 crashed, 2 bad configuration, 3 schema newer than the code.
 */
import closeWithGrace from 'close-with-grace';
import { errorCodeOf } from './errors.ts';
import { createLogger, type Logger, type LogLevel } from './log.ts';

const GRACE_MS = 12_000;

export interface Started {
  /** Said together with `ready`. */
  facts: Readonly<Record<string, unknown>>;
  /** Ends what was started, in order. */
  readonly stop: () => Promise<void>;
}

/** Runs a process until it is asked to stop or cannot go on. `load` throws what is wrong with the configuration. */
export async function runProcess<C extends { LOG_LEVEL: LogLevel }>(
  name: string,
  load: () => C,
  start: (config: C, log: Logger) => Promise<Started>,
): Promise<void> {
  // Node opens its inspector on SIGUSR1, for any local user to attach to; a handler takes that away.
  process.on('SIGUSR1', () => {});
  let config: C;
  try {
    config = load();
  } catch (error) {
    process.stderr.write(`${name}: ${(error as Error).message}\n`);
    process.exit(exitCodeOf(error));
  }
  const log = createLogger(name, config.LOG_LEVEL);
  try {
    const { facts, stop } = await start(config, log);
    closeWithGrace({ delay: GRACE_MS, logger: false }, async ({ err, signal }) => {
      if (err !== undefined) log.fatal({ err }, 'service crashed');
      else log.info({ signal }, 'stopping');
      await stop();
      log.info('stopped');
    });
    log.info(facts, 'ready');
  } catch (error) {
    log.fatal({ err: error }, 'service failed to start');
    process.exit(exitCodeOf(error));
  }
}

function exitCodeOf(error: unknown): number {
  const code = errorCodeOf(error);
  if (code === 'schema_newer') return 3;
  return code === 'bad_config' ? 2 : 1;
}
