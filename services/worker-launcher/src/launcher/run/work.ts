/** What every part of the run loop is handed: the launcher's means, and the one run that is being worked on. */
import type { Lease } from '@sallyport/shared/db/lease';
import type { Pool } from '@sallyport/shared/db/pool';
import type { RunRow, TaskRow } from '@sallyport/shared/db/task';
import type { HaltGuard } from '@sallyport/shared/halt/guard';
import type { Logger } from '@sallyport/shared/log';
import type { Snapshot } from '@sallyport/shared/task/snapshot';
import type { TicketClaims } from '@sallyport/shared/ticket/claims';
import type { TicketKeys } from '@sallyport/shared/ticket/verify';
import type { Team } from '@sallyport/teams/team';
import type { Collector } from '../collector/collector.ts';
import type { EnvironmentStore } from '../environment/environment-store.ts';
import type { Environments } from '../environment/read-environments.ts';
import type { Agents } from '../read-agents.ts';
import type { SandboxDriver } from '../sandbox/driver.ts';
import type { Workspace } from '../workspace/workspace.ts';
import type { Nudges } from './nudges.ts';
import type { RunDirectories } from './run-directories.ts';
import type { RunSignals } from './run-signals.ts';

/** `overlay`: a layer over a tree that all steps share. `copy`: a tree of their own, where the kernel allows no overlay. */
export const STEP_MOUNTS = ['overlay', 'copy'] as const;
export type StepMount = (typeof STEP_MOUNTS)[number];

/** What a launcher has for all its runs. */
export interface LauncherMeans {
  db: Pool;
  halt: Pick<HaltGuard, 'assertClear' | 'view'>;
  answers: Nudges;
  log: Logger;
  instance: string;
  stateDir: string;
  ticketKeys: TicketKeys;
  agents: Agents;
  driver: SandboxDriver;
  /** Where sandboxes' directories lie, for whoever starts this driver's sandboxes. */
  workspace: Workspace;
  collector: Collector;
  environments: {
    settings: Environments;
    store: EnvironmentStore;
    /** What programs its commands have: `hostIdentity`. */
    host: readonly string[];
  };
  directories: RunDirectories;
  /** How steps get their trees on this machine. */
  stepMount: StepMount;
  maxParallelSteps: number;
}

/** One run under its lease. */
export interface RunWork extends LauncherMeans {
  lease: Lease;
  taskId: string;
  signals: RunSignals;
}

/** A run whose ticket was found to stand, with the request and the team that the ticket speaks of. */
export interface AdmittedRun {
  task: TaskRow;
  run: RunRow;
  claims: TicketClaims;
  snapshot: Snapshot;
  team: Team;
}
