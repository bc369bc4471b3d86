/** The publisher: alone holds the App's key, confirms, judges and publishes, and asks GitHub on behalf of the others. */
import { takeWorkDirectory } from '@sallyport/git/work-directory';
import { dropExpiredArtifacts } from '@sallyport/shared/artifacts/drop-expired';
import { createLocks } from '@sallyport/shared/db/task-lock';
import { runService } from '@sallyport/shared/service';
import { readTicketKeys } from '@sallyport/shared/ticket/verify';
import { chooseIsolation } from '../choose-isolation.ts';
import { createBackoff } from './backoff.ts';
import { CONFIG } from './config.ts';
import type { PublisherContext } from './context.ts';
import { readAppKeys } from './github/app-key.ts';
import { createBotIdentity } from './github/bot-identity.ts';
import { createGithub } from './github/client.ts';
import { advancePublication } from './publish/advance.ts';
import { sweepPublications } from './publish/sweep.ts';
import { readPolicy } from './read-policy.ts';
import { handleRequest } from './requests/answer.ts';
import { scratchDirectory } from './source-pack.ts';
import { sweepRequests } from './requests/sweep.ts';

const SWEEP_MS = 3_000;
const EXPIRY_MS = 60_000;

await runService({
  name: 'publisher',
  config: CONFIG,
  async start(service) {
    const { config, db, log, halt, deployment } = service;
    const keys = readAppKeys(config.GITHUB_APP_KEY);
    const release = await takeWorkDirectory(scratchDirectory(config.STATE_DIR));
    log.info({ fingerprints: keys.map((key) => key.fingerprint) }, 'App key read');
    const github = createGithub({
      apiUrl: config.GITHUB_API_URL,
      appId: config.GITHUB_APP_ID,
      keys,
      log,
    });
    const context: PublisherContext = {
      db,
      log,
      halt,
      github,
      locks: createLocks({ url: config.DATABASE_URL, deployment, process: 'publisher' }),
      bot: createBotIdentity(github),
      ticketKeys: readTicketKeys(config.TICKET_PUBLIC_KEYS),
      policy: readPolicy(config.POLICY_FILE),
      branchPrefix: config.BRANCH_PREFIX,
      isolation: await chooseIsolation(config.GIT_ISOLATION, 'GIT_ISOLATION', log),
      githubUrl: config.GITHUB_URL,
      stateDir: config.STATE_DIR,
      backoff: createBackoff(),
    };
    service.consume('github', 4, ({ requestId }) => handleRequest(context, requestId));
    service.consume('source', 2, ({ requestId }) => handleRequest(context, requestId));
    service.consume('publish', 2, ({ runId }) => advancePublication(context, runId));
    const nudged = new Set<Promise<void>>();
    service.listener.on('bundle_import', (runId) => {
      if (runId === '' || service.stopping.aborted) return;
      const pass = advancePublication(context, runId)
        .catch((error: unknown) => log.warn({ err: error, runId }, 'publication waits'))
        .finally(() => nudged.delete(pass));
      nudged.add(pass);
    });
    service.every('requests', SWEEP_MS, () => sweepRequests(context));
    service.every('artifacts', EXPIRY_MS, async () => void (await dropExpiredArtifacts(db)));
    service.every('publications', SWEEP_MS, () => sweepPublications(context));
    // What a nudge began needs the connections that are closed after this.
    return async () => {
      await Promise.allSettled(nudged);
      await release();
    };
  },
});
