/** Wires a launcher: what it is nudged by, what it sweeps, and how it ends. */
import { mkdirSync } from 'node:fs';
import { readTicketKeys } from '@sallyport/shared/ticket/verify';
import { createCollector } from './collector/collector.ts';
import { createSandboxing, type LauncherContext } from './create-sandboxing.ts';
import { hostIdentity } from './environment/environment-key.ts';
import { createEnvironmentStore } from './environment/environment-store.ts';
import { readEnvironments } from './environment/read-environments.ts';
import { readAgents } from './read-agents.ts';
import { createNudges } from './run/nudges.ts';
import { createRunBoard } from './run/run-board.ts';
import { createRunDirectories } from './run/run-directories.ts';

const SWEEP_MS = 2_000;
const WATCH_MS = 1_000;
const CLEAN_MS = 10_000;
const SWEEP_ENVIRONMENTS_MS = 60_000;
/** Of the twelve seconds that a process has to stop; what follows is the agent's end and one commit. */
const DRAIN_MS = 4_000;

/** Starts taking runs. @returns what to do when the process stops. */
export async function startLauncher(context: LauncherContext): Promise<() => Promise<void>> {
  const { config, db, halt, listener, log } = context;
  // Only for this user: what lies there is other people's code.
  mkdirSync(config.STATE_DIR, { recursive: true, mode: 0o700 });
  const { driver, workspace, stepMount } = await createSandboxing(context);
  const directories = createRunDirectories(config.STATE_DIR, workspace, log);
  const environments = {
    settings: readEnvironments(config.ENVIRONMENTS_FILE),
    store: createEnvironmentStore({ db, stateDir: config.STATE_DIR, workspace, log }),
    host: hostIdentity(driver.name, driver.name === 'docker' ? config.SANDBOX_IMAGE : undefined),
  };
  const board = createRunBoard({
    maxRuns: config.MAX_RUNS,
    leaseSeconds: config.LEASE_SECONDS,
    means: {
      db,
      halt,
      log,
      answers: createNudges(listener, 'github_request'),
      instance: context.instance,
      stateDir: config.STATE_DIR,
      ticketKeys: readTicketKeys(config.TICKET_PUBLIC_KEYS),
      agents: readAgents(config.AGENTS_FILE),
      driver,
      workspace,
      collector: createCollector(driver, workspace),
      environments,
      directories,
      stepMount,
      maxParallelSteps: config.MAX_PARALLEL_STEPS,
    },
  });

  function look(): void {
    void board
      .fill()
      .catch((error: unknown) => log.warn({ err: error }, 'looking for runs failed'));
  }
  halt.onChange(() => {
    board.heedHalt();
    look();
  });
  listener.on('timeline', (subject) => {
    const looked = board.heedCancellations(subject === '' ? undefined : subject);
    looked.catch((error: unknown) => log.warn({ err: error }, 'looking for cancellations failed'));
  });
  context.every('run_sweep', SWEEP_MS, () => board.fill());
  context.every('cancellation_watch', WATCH_MS, () => board.heedCancellations());
  context.every('directory_sweep', CLEAN_MS, async () => {
    const removed = await directories.clean(db);
    if (removed > 0) log.info({ removed }, 'left run directories removed');
  });
  context.every('environment_sweep', SWEEP_ENVIRONMENTS_MS, async () => {
    const removed = await environments.store.sweep(environments.settings.cache);
    if (removed > 0) log.info({ removed }, 'environments removed');
  });
  context.consume('work', config.MAX_RUNS, ({ taskId }) => board.fill(taskId));
  return () => board.stop(DRAIN_MS);
}
