/**
 * What the tests of the publisher share: the GitHub stand-in, a deployment with the roles of every process, contexts of
 * publisher and importer, and tasks whose run has just been collected. Nothing in it is faked but GitHub.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { detectIsolation, type Isolation } from '@sallyport/git/isolation';
import { DEFAULT_POLICY, type PolicyConfig } from '@sallyport/policy/policy-config';
import { createListener, type Listener } from '@sallyport/shared/db/listen';
import { createLocks } from '@sallyport/shared/db/task-lock';
import { createHaltGuard, type HaltGuard } from '@sallyport/shared/halt/guard';
import { createLogger } from '@sallyport/shared/log';
import { readTicketKeys } from '@sallyport/shared/ticket/verify';
import {
  importRun,
  type ImporterContext,
} from '../../../services/publisher/src/importer/import-run.ts';
import { createBackoff } from '../../../services/publisher/src/publisher/backoff.ts';
import type { PublisherContext } from '../../../services/publisher/src/publisher/context.ts';
import { readAppKeys } from '../../../services/publisher/src/publisher/github/app-key.ts';
import { createBotIdentity } from '../../../services/publisher/src/publisher/github/bot-identity.ts';
import { createGithub as createClient } from '../../../services/publisher/src/publisher/github/client.ts';
import { advancePublication } from '../../../services/publisher/src/publisher/publish/advance.ts';
import {
  createTestTicketKeys,
  type TestTicketKeys,
} from '../../support/deployment/seed-admitted-task.ts';
import {
  createTestDeployment,
  type TestDeployment,
} from '../../support/deployment/test-deployment.ts';
import { createGithub, type Github } from '../../support/github/create-github.ts';

export interface PublisherWorld {
  deployment: TestDeployment;
  github: Github;
  keys: TestTicketKeys;
  directory: string;
  isolation: Isolation;
  publisher: PublisherContext;
  importer: ImporterContext;
  halt: HaltGuard;
  /** Everything that was logged, one JSON object a line. */
  logged: string[];
  /** A second publisher on the same deployment, with a state directory of its own. */
  anotherPublisher(policy?: PolicyConfig): PublisherContext;
  /** As jobs do it: publisher, importer, publisher. */
  publish(runId: string): Promise<void>;
  close(): Promise<void>;
}

export async function createPublisherWorld(): Promise<PublisherWorld> {
  const [deployment, github, directory, isolation] = await Promise.all([
    createTestDeployment(),
    createGithub(),
    mkdtemp(join(tmpdir(), 'sallyport-publisher-')),
    detectIsolation(),
  ]);
  const logged: string[] = [];
  const log = createLogger('publisher', 'debug', { write: (line) => void logged.push(line) });
  const keys = createTestTicketKeys();
  const ticketKeys = readTicketKeys(keys.publicPem);
  const listener = createListener(
    { url: deployment.urls.publisher, deployment: deployment.id, process: 'publisher' },
    log,
  );
  const halt = createHaltGuard({ db: deployment.pool('publisher'), listener, log });
  let made = 0;

  function createPublisher(policy: PolicyConfig = DEFAULT_POLICY): PublisherContext {
    made += 1;
    const client = createClient({
      apiUrl: github.apiUrl,
      appId: github.app.id,
      keys: readAppKeys(github.app.privateKey),
      log,
      timeoutMs: 5_000,
    });
    return {
      db: deployment.pool('publisher'),
      log,
      halt,
      github: client,
      locks: createLocks({
        url: deployment.urls.publisher,
        deployment: deployment.id,
        process: 'publisher',
      }),
      bot: createBotIdentity(client),
      ticketKeys,
      branchPrefix: 'agent',
      policy,
      isolation,
      githubUrl: github.url,
      stateDir: join(directory, `publisher-${made}`),
      backoff: createBackoff(),
    };
  }

  const publisher = createPublisher();
  const importer: ImporterContext = {
    db: deployment.pool('importer'),
    log,
    ticketKeys,
    isolation,
    workRoot: join(directory, 'imports'),
  };
  return {
    deployment,
    github,
    keys,
    directory,
    isolation,
    publisher,
    importer,
    halt,
    logged,
    anotherPublisher: createPublisher,
    async publish(runId) {
      await advancePublication(publisher, runId);
      await importRun(importer, runId).catch(ignoreNothingToDo);
      await advancePublication(publisher, runId);
    },
    close: () => closeWorld(deployment, github, directory, halt, listener),
  };
}

/** An importer whose ticket is refused, or which was not asked, has nothing to say. */
function ignoreNothingToDo(error: unknown): void {
  const code = (error as { code?: string }).code;
  if (code !== 'ticket_invalid' && code !== 'not_found') throw error;
}

async function closeWorld(
  deployment: TestDeployment,
  github: Github,
  directory: string,
  halt: HaltGuard,
  listener: Listener,
): Promise<void> {
  halt.stop();
  await listener.close();
  await github.close();
  await deployment.close();
  await rm(directory, { recursive: true, force: true });
}

/** Throws unless every request fitted GitHub, every fault was met, and no token lives any more. */
export function assertSettled({ github }: PublisherWorld): void {
  github.assertClean();
  const live = github.liveTokens().map((token) => JSON.stringify(token.permissions));
  if (live.length > 0)
    throw new Error(`${live.length} token(s) were not revoked: ${live.join(', ')}`);
  if (github.pendingFaults() > 0)
    throw new Error(`${github.pendingFaults()} fault(s) were never met`);
}
