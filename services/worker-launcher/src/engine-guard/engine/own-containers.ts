/** The containers of this deployment and no others: by their whole id and by the mark that the guard wrote on them. */
import { AppError } from '@sallyport/shared/errors';
import { LABEL_DEPLOYMENT, type Labels } from '../containers/container-labels.ts';
import type { EngineClient } from './engine-client.ts';
import {
  ContainerListSchema,
  ContainerSchema,
  type InspectedContainer,
  type ListedContainer,
} from './engine-types.ts';

const ID = /^[0-9a-f]{64}$/;

export interface OwnContainers {
  /**
   * Looks at one.
   * @throws AppError `bad_input` for what is no id; `not_found` alike for those that are not there and those of others.
   */
  inspect(id: string): Promise<InspectedContainer & { labels: Labels }>;
  /** All of them, in every state, or only those that run (also paused). */
  list(which: 'all' | 'running'): Promise<(ListedContainer & { labels: Labels })[]>;
}

export function createOwnContainers(engine: EngineClient, deployment: string): OwnContainers {
  return {
    async inspect(id) {
      if (!ID.test(id)) {
        throw new AppError('bad_input', 'a container is named by its whole id: 64 digits 0-9 a-f');
      }
      const found = await inspectAny(engine, id);
      const labels = found?.Config.Labels ?? {};
      if (found?.Id !== id || labels[LABEL_DEPLOYMENT] !== deployment) {
        throw new AppError('not_found', `no container ${id}`);
      }
      return { ...found, labels };
    },
    async list(which) {
      const filters = { label: [`${LABEL_DEPLOYMENT}=${deployment}`] };
      const { json } = await engine.call({
        method: 'GET',
        path: '/containers/json',
        query: { all: which === 'all' ? '1' : '0', filters: JSON.stringify(filters) },
      });
      return ContainerListSchema.parse(json)
        .map((container) => ({ ...container, labels: container.Labels ?? {} }))
        .filter(({ labels }) => labels[LABEL_DEPLOYMENT] === deployment);
    },
  };
}

async function inspectAny(
  engine: EngineClient,
  id: string,
): Promise<InspectedContainer | undefined> {
  try {
    const { json } = await engine.call({ method: 'GET', path: `/containers/${id}/json` });
    return ContainerSchema.parse(json);
  } catch (error) {
    if (error instanceof AppError && error.code === 'not_found') return undefined;
    throw error;
  }
}
