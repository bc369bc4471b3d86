/**
 * The stand-in as its own process, for the demo and for tests across processes:
 * `node --import tsx test/support/github/main.ts --state FILE.json`. It prints one JSON line with its addresses and ends on
 * SIGTERM or SIGINT, leaving nothing behind.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { AppError } from '@sallyport/shared/errors';
import { z } from 'zod';
import { createGithub, type Github } from './create-github.ts';
import { PROTECTION_PRESETS } from './state/protection-presets.ts';
import { ROLES } from './state/types.ts';

const STATE = z.strictObject({
  appId: z.int().positive().optional(),
  appSlug: z.string().min(1).optional(),
  /** PEM. Read when it is there, else written with a new key, mode 0600. */
  privateKeyFile: z.string().optional(),
  webhookSecret: z.string().min(1).optional(),
  port: z.int().min(0).max(65_535).optional(),
  tokenFormat: z.enum(['classic', 'stateless']).optional(),
  permissions: z.record(z.string(), z.enum(['read', 'write', 'admin'])).optional(),
  hook: z
    .strictObject({
      url: z.url(),
      contentType: z.enum(['json', 'form']).optional(),
      echoEvents: z.boolean().optional(),
    })
    .optional(),
  users: z
    .array(
      z.strictObject({
        login: z.string(),
        id: z.int().optional(),
        type: z.enum(['User', 'Bot', 'Organization']).optional(),
      }),
    )
    .default([]),
  repos: z
    .array(
      z.strictObject({
        owner: z.string(),
        name: z.string(),
        id: z.int().optional(),
        private: z.boolean().optional(),
        defaultBranch: z.string().optional(),
        protection: z.enum(PROTECTION_PRESETS).optional(),
        files: z.record(z.string(), z.string()).optional(),
        permissions: z.record(z.string(), z.enum(ROLES)).optional(),
        issues: z
          .array(
            z.strictObject({
              title: z.string(),
              body: z.string().optional(),
              by: z.string(),
              labels: z.array(z.string()).optional(),
              comments: z.array(z.strictObject({ by: z.string(), body: z.string() })).default([]),
            }),
          )
          .default([]),
      }),
    )
    .default([]),
});
type StateFile = z.infer<typeof STATE>;

/** Drops keys that are there without a value: the builders tell "absent" from "undefined". */
function present<T extends object>(value: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(value).filter(([, one]) => one !== undefined)) as {
    [K in keyof T]: Exclude<T[K], undefined>;
  };
}

async function populate(github: Github, state: StateFile): Promise<void> {
  for (const user of state.users) github.addUser(present(user));
  for (const { issues, ...repo } of state.repos) {
    const { fullName } = await github.addRepo(present(repo));
    for (const { comments, ...issue } of issues) {
      const { number } = github.addIssue({ ...present(issue), repo: fullName });
      for (const comment of comments) github.comment({ ...comment, repo: fullName, issue: number });
    }
  }
}

function readState(): StateFile {
  const { values } = parseArgs({ options: { state: { type: 'string' } } });
  const text = values.state === undefined ? '{}' : readFileSync(values.state, 'utf8');
  const parsed = STATE.safeParse(JSON.parse(text));
  if (!parsed.success)
    throw new AppError(
      'bad_config',
      `reading ${values.state ?? ''}: ${z.prettifyError(parsed.error)}`,
    );
  return parsed.data;
}

async function main(): Promise<void> {
  const { users, repos, hook, privateKeyFile, ...options } = readState();
  const known =
    privateKeyFile !== undefined && existsSync(privateKeyFile)
      ? readFileSync(privateKeyFile, 'utf8')
      : undefined;
  const github = await createGithub({
    ...present(options),
    ...(known === undefined ? {} : { privateKey: known }),
  });
  if (privateKeyFile !== undefined && known === undefined)
    writeFileSync(privateKeyFile, github.app.privateKey, { mode: 0o600 });
  if (hook) github.setHook(present(hook));
  await populate(github, { users, repos });
  const handles = await Promise.all(repos.map((repo) => github.repo(`${repo.owner}/${repo.name}`)));
  const { id, slug, botLogin, botId } = github.app;
  const line = {
    url: github.url,
    apiUrl: github.apiUrl,
    controlToken: github.controlToken,
    app: { id, slug, botLogin, botId },
    repos: handles,
  };
  process.stdout.write(`${JSON.stringify(line)}\n`);
  const end = (): void => {
    void github.close().then(() => process.exit(0));
  };
  process.once('SIGTERM', end);
  process.once('SIGINT', end);
}

await main();
