/**
 * The whole line on this machine with a stand-in for GitHub and a scripted agent: what the demo shows and what the
 * end-to-end tests drive. Everything in it is the real thing but GitHub itself and the agent's model.
 */
import { randomBytes } from 'node:crypto';
import { chmodSync, copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { standInAccount } from '@sallyport/cli/local/process-account';
import {
  writeAgentsFile,
  startDeployment,
  type RunningDeployment,
} from '@sallyport/cli/local/start-deployment';
import { createTemporaryDirectory } from '@sallyport/cli/local/temporary';
import { createPool, type Pool } from '@sallyport/shared/db/pool';
import type { RepositoryTeamsSchema } from '@sallyport/teams/repository-teams';
import type { TeamInput } from '@sallyport/teams/team';
import type { z } from 'zod';
import { agentScript, SCRIPTED_AGENT_PATH, type ScriptedAction } from '../agent/script.ts';
import type { ProtectionPreset } from '../github/verbs.ts';
import { createCrashControl, type CrashControl } from './crash-control.ts';
import { SAMPLE_FILES, SAMPLE_ISSUE } from './sample-project.ts';
import { startStandIn, type StandIn } from './start-stand-in.ts';

export interface LineOptions {
  readonly state: string;
  readonly env: NodeJS.ProcessEnv;
  readonly script: readonly ScriptedAction[];
  /** The team that runs, in place of one developer; every node follows the script of its own. */
  readonly team?: TeamInput;
  /** `repositoryTeams` of the operator's file; without it no repository brings a team. */
  readonly repositoryTeams?: z.input<typeof RepositoryTeamsSchema>;
  readonly scripts?: Readonly<Record<string, readonly ScriptedAction[]>>;
  readonly protection?: ProtectionPreset;
  readonly note?: (text: string) => void;
  readonly leaseSeconds?: number;
  /** Gives every process the crash points of `line.crashes`, and embedded servers whatever the environment names. */
  readonly crashes?: boolean;
}

export interface Line {
  readonly github: StandIn;
  readonly deployment: RunningDeployment;
  /** The operator's view of the database. */
  readonly db: Pool;
  readonly repo: string;
  readonly crashes: CrashControl;
  /** What the deployment had to say: each end of a process, and each restart. */
  readonly notes: readonly string[];
  /** Replaces what the agent, or that of one node, will do in the steps that start from now on. */
  setScript(script: readonly ScriptedAction[], node?: string): void;
  /** A new issue; its number. */
  addIssue(title?: string, body?: string): Promise<number>;
  /** A comment by somebody on an issue, delivered as GitHub does. */
  comment(
    issue: number,
    body: string,
    by?: string,
  ): Promise<{ commentId: number; guid: string; statusCode: number }>;
  /** Another repository like the first, with the same people: the same line, seen from there. */
  addRepository(name: string): Promise<Line>;
  stop(): Promise<void>;
}

export const WRITER = 'dev-ada';
export const READER = 'guest-bob';

const SAMPLE_REPOSITORY = {
  owner: 'octo',
  name: 'slugs',
  files: SAMPLE_FILES,
  permissions: { [WRITER]: 'write', [READER]: 'read' },
} as const;

export async function startLine(options: LineOptions): Promise<Line> {
  const id = `demo_${randomBytes(4).toString('hex')}`;
  const temporary = createTemporaryDirectory();
  const scriptDir = join(temporary.path, 'agent');
  mkdirSync(scriptDir, { mode: 0o755 });
  const scripts = join(scriptDir, 'scripts');
  mkdirSync(scripts, { mode: 0o755 });
  // A copy, because the launcher's own user need not be able to enter the checkout.
  const agentFile = join(scriptDir, 'scripted-agent.mjs');
  copyFileSync(SCRIPTED_AGENT_PATH, agentFile);
  chmodSync(agentFile, 0o644);
  function setScript(script: readonly ScriptedAction[], node = 'script'): void {
    const file = join(scripts, `${node}.json`);
    writeFileSync(file, agentScript(...script), { mode: 0o644 });
    chmodSync(file, 0o644);
  }
  setScript(options.script);
  for (const [node, script] of Object.entries(options.scripts ?? {})) setScript(script, node);
  const crashes = createCrashControl(join(temporary.path, 'crashes'));
  const notes: string[] = [];

  let github: StandIn | undefined;
  let deployment: RunningDeployment | undefined;
  let db: Pool | undefined;
  async function stop(): Promise<void> {
    await db?.end();
    await deployment?.stop();
    await github?.stop();
    temporary.remove();
  }
  try {
    github = await startStandIn({
      dir: join(temporary.path, 'github'),
      account: standInAccount(id),
      temporaryDir: temporary.path,
      state: {
        appId: 424_242,
        appSlug: 'sallyport',
        users: [{ login: WRITER }, { login: READER }],
        repos: [{ ...SAMPLE_REPOSITORY, protection: options.protection ?? 'protected' }],
      },
    });
    deployment = await startDeployment({
      state: options.state,
      mode: 'demo',
      env: options.crashes === true ? {} : options.env,
      throwAway: true,
      note(text) {
        notes.push(text);
        options.note?.(text);
      },
      githubAppKey: github.appKey,
      ...(options.crashes === true ? { extraEnv: crashes.extraEnv, maxBackoffMs: 1_000 } : {}),
      settings: {
        id,
        logLevel: 'info',
        github: {
          apiUrl: github.apiUrl,
          url: github.url,
          appId: github.app.id,
          appSlug: github.app.slug,
        },
        intake: { host: '127.0.0.1', port: 0 },
        console: { host: '127.0.0.1', port: 0 },
        launcher: { maxRuns: 2, leaseSeconds: options.leaseSeconds ?? 30 },
        agentsFile: writeAgentsFile(scriptDir, {
          scripted: {
            argv: [
              process.execPath,
              '/agent/scripted-agent.mjs',
              '--script',
              '/agent-script/script.json',
            ],
            mounts: [
              { host: agentFile, inside: '/agent/scripted-agent.mjs' },
              { host: scripts, inside: '/agent-script' },
            ],
          },
        }),
        teamsFile: writeTeam(scriptDir, options),
        importIsolation: 'bubblewrap',
      },
    });
    await github.control.setHook({
      url: `${deployment.intakeUrl}/github/webhook`,
      secret: deployment.webhookSecret,
      echoEvents: true,
    });
    db = createPool({
      url: deployment.operatorDatabaseUrl,
      deployment: id,
      process: 'operator',
      max: 3,
    });
  } catch (error) {
    await stop();
    throw error;
  }
  const { control } = github;
  function conversationIn(repo: string): Pick<Line, 'repo' | 'addIssue' | 'comment'> {
    return {
      repo,
      async addIssue(title = SAMPLE_ISSUE.title, body = SAMPLE_ISSUE.body) {
        return (await control.addIssue({ repo, title, body, by: WRITER })).number;
      },
      async comment(issue, body, by = WRITER) {
        const comment = await control.comment({ repo, issue, body, by });
        const payload = await control.issueCommentPayload({ repo, comment: comment.id });
        const [delivery] = await control.deliver('issue_comment', payload);
        if (delivery === undefined) throw new Error('nothing was delivered');
        return { commentId: comment.id, guid: delivery.guid, statusCode: delivery.statusCode };
      },
    };
  }
  const line: Line = {
    github,
    deployment,
    db,
    crashes,
    notes,
    setScript,
    ...conversationIn('octo/slugs'),
    async addRepository(name) {
      await control.addRepo({ ...SAMPLE_REPOSITORY, name });
      return { ...line, ...conversationIn(`octo/${name}`) };
    },
    stop,
  };
  return line;
}

const DEVELOPER: TeamInput = {
  v: 1,
  name: 'starter',
  nodes: [
    {
      id: 'developer',
      agent: { cli: 'scripted' },
      prompt: 'You are the developer. Mend what the issue describes.',
      timeoutMinutes: 5,
    },
  ],
};

/** A node of a team whose agent follows `scripts` under the node's own name. */
export function scriptedNode(
  id: string,
  more: Omit<Partial<TeamInput['nodes'][number]>, 'id' | 'agent'> = {},
): TeamInput['nodes'][number] {
  const args = ['--script', `/agent-script/${id}.json`];
  return { id, agent: { cli: 'scripted', args }, prompt: `You are ${id}.`, ...more };
}

function writeTeam(dir: string, options: LineOptions): string {
  const { team = DEVELOPER, repositoryTeams } = options;
  const file = join(dir, 'teams.json');
  writeFileSync(file, JSON.stringify({ teams: [team], repositoryTeams }), { mode: 0o644 });
  return file;
}
