/** The part of a publisher that launchers wait for: answers questions for sources with the packs of the test's repository. */
import { setTimeout as sleep } from 'node:timers/promises';
import { storeArtifact } from '@sallyport/shared/artifacts/store';
import { answerRequest } from '@sallyport/shared/db/github-request';
import type { TestDeployment } from '../../support/deployment/test-deployment.ts';
import type { SourceRepository } from './source-repository.ts';

/** Answers until it is stopped, while `answering.on`. */
export function answerSources(
  deployment: TestDeployment,
  source: SourceRepository,
  answering: { on: boolean },
): { stop(): Promise<void> } {
  let stopped = false;
  async function loop(): Promise<void> {
    const db = deployment.pool('publisher');
    while (!stopped) {
      await sleep(50);
      if (!answering.on) continue;
      const { rows } = await db.query<{ id: string; task_id: string; params: { sha: string } }>(
        `select id, task_id, params from github_request where kind = 'source' and state = 'asked'`,
      );
      for (const { id, task_id: taskId, params } of rows) {
        if (params.sha !== source.sha) {
          await answerRequest(db, id, { state: 'unknown', answer: { reason: 'source_not_found' } });
          continue;
        }
        const stored = await storeArtifact(db, {
          kind: 'source_pack',
          taskId,
          bytes: [source.pack],
          expiresInSeconds: 3600,
        });
        await answerRequest(db, id, {
          state: 'answered',
          answer: { shallow: [], size: stored.size },
          artifactId: stored.id,
        });
      }
    }
  }
  const done = loop();
  return {
    async stop() {
      stopped = true;
      await done;
    },
  };
}
