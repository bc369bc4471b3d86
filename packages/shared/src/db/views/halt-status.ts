/** The halt as an operator sees it: what is halted, and which living processes have acted upon the latest change. */
import { readHalt, type HaltRow } from '../halt.ts';
import type { Queryable } from '../pool.ts';
import { listPresence } from '../presence.ts';

export interface HaltStatus {
  halts: HaltRow[];
  version: number;
  /** Living processes that have seen the latest change. */
  acknowledged: string[];
  /** Living processes that have not. */
  waitingFor: string[];
}

export async function readHaltStatus(db: Queryable): Promise<HaltStatus> {
  const [{ halts, version }, present] = await Promise.all([readHalt(db), listPresence(db)]);
  const living = present.filter((p) => p.alive);
  const name = (p: { process: string; host: string }): string => `${p.process}@${p.host}`;
  return {
    halts,
    version,
    acknowledged: living.filter((p) => p.haltVersion >= version).map(name),
    waitingFor: living.filter((p) => p.haltVersion < version).map(name),
  };
}

/** Waits until every living process has seen the latest change, or the deadline has passed. */
export async function awaitAcknowledgement(db: Queryable, deadlineMs: number): Promise<HaltStatus> {
  const deadline = Date.now() + deadlineMs;
  for (;;) {
    const status = await readHaltStatus(db);
    if (status.waitingFor.length === 0 || Date.now() >= deadline) return status;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
