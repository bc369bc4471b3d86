/**
 * Watches what a container uses beside what the kernel bounds: an engine has no limit for what is written to the disk of
 * its host, so that the directories in which a sandbox's writes land are measured. What cannot be measured is let be.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { writtenDirectories, type GuardCreate } from './docker-body.ts';
import type { EngineContainer } from './docker-engine.ts';
import type { SandboxLimits } from './driver.ts';
import type { Supervision } from './supervision.ts';

const SAMPLE_MS = 2_000;

/** How many bytes lie in a directory of the workspace. */
export type UsageOf = (name: string) => Promise<number>;

export interface WatchedContainer {
  container: EngineContainer;
  body: GuardCreate;
  limits: Pick<SandboxLimits, 'diskBytes'>;
  supervision: Pick<Supervision, 'endNow' | 'observe'>;
  usageOf: UsageOf;
}

/** Watches until the container is over. Never rejects. */
export async function watchContainer(watched: WatchedContainer, over: AbortSignal): Promise<void> {
  const { container, body, limits, supervision, usageOf } = watched;
  const names = writtenDirectories(body).filter(isOfOneStep);

  async function measure(): Promise<number> {
    const sizes = await Promise.all(names.map(usageOf));
    return sizes.reduce((sum, size) => sum + size, 0);
  }

  // What lies there from the start was written by others.
  const before = await measure().catch(() => undefined);
  while (!over.aborted) {
    await sleep(SAMPLE_MS, undefined, { signal: over }).catch(() => undefined);
    if (over.aborted) return;
    const [use, size] = await Promise.allSettled([container.use(), measure()]);
    if (use.status === 'fulfilled') supervision.observe(use.value);
    if (size.status !== 'fulfilled' || before === undefined) continue;
    if (size.value - before > limits.diskBytes) supervision.endNow({ kind: 'disk_limit' });
  }
}

/** Mirrors and whole runs are written by collectors alone, hold much, and would take long to walk. */
function isOfOneStep(name: string): boolean {
  return /^runs\/[^/]+\/steps\/./.test(name);
}
