/**
 * Removes what launchers left in the engine: containers in every state, also those that were never started and those that
 * are held still; volumes that no container has; networks. What bears a live lease, or another deployment's mark, is let be.
 */
import type { Logger } from '@sallyport/shared/log';
import { isGone, type ContainerActs } from './containers/container-acts.ts';
import { LABEL_DEPLOYMENT, leaseOf } from './containers/container-labels.ts';
import type { OverlayVolumes } from './containers/volumes.ts';
import type { EngineClient } from './engine/engine-client.ts';
import { NetworkListSchema } from './engine/engine-types.ts';
import type { OwnContainers } from './engine/own-containers.ts';
import type { Leases } from './leases.ts';

export interface ReaperMeans {
  engine: EngineClient;
  deployment: string;
  containers: OwnContainers;
  volumes: OverlayVolumes;
  acts: Pick<ContainerActs, 'remove'>;
  leases: Leases;
  log: Logger;
}

/** Creates the sweep. What cannot be removed is logged and tried again with the next. */
export function createReaper(means: ReaperMeans): () => Promise<void> {
  const { engine, deployment, containers, volumes, acts, leases, log } = means;

  async function attempt(kind: string, name: string, remove: () => Promise<void>): Promise<void> {
    try {
      await remove();
      log.warn({ kind, name }, 'something left in the engine was removed');
    } catch (error) {
      if (isGone(error)) return;
      log.error({ err: error, kind, name }, 'something left in the engine cannot be removed');
    }
  }

  async function sweepContainers(): Promise<void> {
    for (const { Id, labels } of await containers.list('all')) {
      if (leases.isLive(leaseOf(labels))) continue;
      await attempt('container', Id, () => acts.remove(Id, true));
    }
  }

  async function sweepVolumes(): Promise<void> {
    // Also those with a live lease: their container is gone, and a volume goes with it.
    for (const { name } of await volumes.listUnused()) {
      await attempt('volume', name, () => volumes.remove([name]));
    }
  }

  async function sweepNetworks(): Promise<void> {
    const filters = JSON.stringify({ label: [`${LABEL_DEPLOYMENT}=${deployment}`] });
    const { json } = await engine.call({ method: 'GET', path: '/networks', query: { filters } });
    for (const { Id, Labels } of NetworkListSchema.parse(json)) {
      const labels = Labels ?? {};
      if (labels[LABEL_DEPLOYMENT] !== deployment || leases.isLive(leaseOf(labels))) continue;
      await attempt('network', Id, async () => {
        await engine.call({ method: 'DELETE', path: `/networks/${Id}` });
      });
    }
  }

  return async () => {
    await sweepContainers();
    await sweepVolumes();
    await sweepNetworks();
  };
}
