/** What the parts of the publisher are given to work with. Made once in main; tests make their own. */
import type { Isolation } from '@sallyport/git/isolation';
import type { PolicyConfig } from '@sallyport/policy/policy-config';
import type { Pool } from '@sallyport/shared/db/pool';
import type { Locks } from '@sallyport/shared/db/task-lock';
import type { HaltGuard } from '@sallyport/shared/halt/guard';
import type { Logger } from '@sallyport/shared/log';
import type { TicketKeys } from '@sallyport/shared/ticket/verify';
import type { Backoff } from './backoff.ts';
import type { Github } from './github/client.ts';
import type { BotIdentity } from './github/bot-identity.ts';
import type { Octokit } from '@octokit/rest';

export interface PublisherContext {
  db: Pool;
  log: Logger;
  halt: Pick<HaltGuard, 'assertClear'>;
  locks: Locks;
  github: Github;
  /** The App's bot account, read with any token the first time. */
  bot: (octokit: Octokit) => Promise<BotIdentity>;
  ticketKeys: TicketKeys;
  policy: PolicyConfig;
  /** What every branch of ours begins with; the gate must be told the same. */
  branchPrefix: string;
  isolation: Isolation;
  /** Where git fetches from and pushes to: `https://github.com`, no slash at the end. */
  githubUrl: string;
  /** A directory of this process alone, for mirrors and throw-away repositories. */
  stateDir: string;
  backoff: Backoff;
}
