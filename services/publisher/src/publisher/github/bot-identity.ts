/** The bot account under which the App acts: author of commits, owner of comments. */
import type { Octokit } from '@octokit/rest';
import { z } from 'zod';
import type { Github } from './client.ts';
import { readReply } from './reply.ts';

export interface BotIdentity {
  id: number;
  slug: string;
  login: string;
  email: string;
}

/** Reads the account once; `octokit` may carry any token, since accounts are public. */
export function createBotIdentity(github: Github): (octokit: Octokit) => Promise<BotIdentity> {
  let known: BotIdentity | undefined;
  return async (octokit) => {
    known ??= await readBotIdentity(github, octokit);
    return known;
  };
}

const AppSchema = z.object({ slug: z.string().regex(/^[A-Za-z0-9-]{1,100}$/) });
const UserSchema = z.object({ id: z.int(), type: z.literal('Bot') });

async function readBotIdentity(github: Github, octokit: Octokit): Promise<BotIdentity> {
  const slug = await github.asApp(
    async (app) => readReply(AppSchema, await app.request('GET /app'), 'reading the App').slug,
  );
  const login = `${slug}[bot]`;
  const reply = await octokit.request('GET /users/{username}', { username: login });
  const { id } = readReply(UserSchema, reply, 'reading the bot account');
  return { id, slug, login, email: `${id}+${login}@users.noreply.github.com` };
}
