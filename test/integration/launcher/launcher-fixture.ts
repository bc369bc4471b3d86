/**
 * What the tests of the launcher share: a deployment of its own, launchers as real processes, a stand-in for the part of
 * the publisher that answers with sources, and tasks whose agent follows a script.
 */
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { readArtifact } from '@sallyport/shared/artifacts/store';
import { listSteps, type StepRow } from '@sallyport/shared/db/step';
import { findRun, findTask, type RunRow, type TaskRow } from '@sallyport/shared/db/task';
import { readTimeline, verifyTimeline, type TimelineEvent } from '@sallyport/shared/db/timeline';
import type { TeamEdge, TeamInput } from '@sallyport/teams/team';
import { expect } from 'vitest';
import {
  agentScript,
  SCRIPTED_AGENT_PATH,
  type ScriptedAction,
} from '../../support/agent/script.ts';
import {
  createTestTicketKeys,
  seedAdmittedTask,
  type AdmittedTask,
  type AdmittedTaskOptions,
} from '../../support/deployment/seed-admitted-task.ts';
import {
  createTestDeployment,
  type TestDeployment,
} from '../../support/deployment/test-deployment.ts';
import { answerSources } from './answer-sources.ts';
import { createSourceRepository, type SourceRepository } from './source-repository.ts';

const MAIN = fileURLToPath(
  new URL('../../../services/worker-launcher/src/launcher/main.ts', import.meta.url),
);
const CHECKOUT = fileURLToPath(new URL('../../../', import.meta.url));
const INSIDE_NODE = process.execPath.startsWith('/usr/') ? process.execPath : '/opt/sallyport/node';

export interface Launcher {
  lines: string[];
  ended: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  /** SIGTERM, and how it ended. */
  stop(): Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  kill(): Promise<void>;
}

export interface LauncherFixture {
  deployment: TestDeployment;
  source: SourceRepository;
  directory: string;
  stateDir: string;
  /** Starts a launcher and waits until it is ready, for `seconds` at most (20). */
  launch(env?: Record<string, string>, seconds?: number): Promise<Launcher>;
  /** A task whose agent does this. */
  seed(script: readonly ScriptedAction[], options?: SeedOptions): Promise<ScriptedTask>;
  /** A task for a team: per node what its agent does, and what else is said of the node. */
  seedTeam(
    nodes: Readonly<Record<string, TeamNodeScript>>,
    edges: readonly TeamEdge[],
    options?: Partial<AdmittedTaskOptions>,
  ): Promise<ScriptedTask>;
  /** Whether questions for sources are answered; they are by default. */
  answering: { on: boolean };
  /** Waits until the task is in this state. */
  until(taskId: string, state: TaskRow['state'], seconds?: number): Promise<TaskRow>;
  look(task: AdmittedTask): Promise<Look>;
  /** Waits until something is true. */
  eventually(
    what: string,
    check: () => Promise<boolean> | boolean,
    seconds?: number,
  ): Promise<void>;
  /** Makes /scripts/go appear in every sandbox: agents that wait for it go on. */
  allowGo(): void;
  forbidGo(): void;
  /** How many processes of this task's agent run on this machine. */
  countAgents(task: ScriptedTask): number;
  /** Waits until the task's agent is at work. */
  untilAgentRuns(task: ScriptedTask): Promise<void>;
  /** Ends every launcher that still runs, hard. */
  killLaunchers(): Promise<void>;
  /** What lies below STATE_DIR/runs. */
  leftFiles(): string[];
  close(): Promise<void>;
}

export interface TeamNodeScript extends Omit<Partial<TeamInput['nodes'][number]>, 'id'> {
  script?: readonly ScriptedAction[];
}

export interface SeedOptions extends Partial<AdmittedTaskOptions> {
  node?: { attempts?: number; timeoutMinutes?: number; readOnly?: boolean };
  cli?: string;
}

/** `script` is what tells the processes of its agent from all others. */
export type ScriptedTask = AdmittedTask & { script: string };

export interface Look {
  task: TaskRow;
  run: RunRow;
  steps: StepRow[];
  events: TimelineEvent[];
  /** The kinds of events in their order. */
  kinds: string[];
  queued: unknown[];
  bundle(): Promise<Buffer>;
}

const PROJECT = {
  'README.md': '# Project\n',
  'src/main.js': 'export const answer = 41;\n',
};

export interface FixtureOptions {
  /** Agents are given their script as an argument, where no directory of this machine is lent to them. */
  inlineScripts?: boolean;
}

export async function createLauncherFixture(
  projectFiles: Readonly<Record<string, string>> = PROJECT,
  options: FixtureOptions = {},
): Promise<LauncherFixture> {
  const deployment = await createTestDeployment();
  const directory = mkdtempSync(join(tmpdir(), 'launcher-test-'));
  const stateDir = join(directory, 'state');
  const scripts = join(directory, 'scripts');
  mkdirSync(scripts);
  const source = createSourceRepository(directory, projectFiles);
  const keys = createTestTicketKeys();
  const launchers = new Set<Launcher>();
  const answering = { on: true };
  const publisher = answerSources(deployment, source, answering);
  let scriptCount = 0;

  const files = {
    DATABASE_URL_FILE: deployment.urls['worker-launcher'],
    REDIS_URL_FILE: deployment.redisUrl,
    TICKET_PUBLIC_KEYS_FILE: keys.publicPem,
    AGENTS_FILE: JSON.stringify({
      scripted: {
        argv: [INSIDE_NODE, '/agent/scripted-agent.mjs'],
        mounts: [
          { host: dirname(SCRIPTED_AGENT_PATH), inside: '/agent' },
          { host: scripts, inside: '/scripts' },
        ],
      },
    }),
  };
  for (const [name, content] of Object.entries(files))
    writeFileSync(join(directory, name), content, { mode: 0o600 });

  async function eventually(
    what: string,
    check: () => Promise<boolean> | boolean,
    seconds = 20,
  ): Promise<void> {
    const deadline = Date.now() + seconds * 1000;
    while (!(await check())) {
      if (Date.now() > deadline) throw new Error(`not within ${seconds} s: ${what}`);
      await sleep(50);
    }
  }

  async function launch(env: Record<string, string> = {}, seconds = 20): Promise<Launcher> {
    const child = spawn(process.execPath, ['--import', 'tsx', MAIN], {
      cwd: CHECKOUT,
      env: {
        PATH: '/usr/bin:/bin',
        TMPDIR: directory,
        DEPLOYMENT_ID: deployment.id,
        STATE_DIR: stateDir,
        LEASE_SECONDS: '3',
        ...Object.fromEntries(Object.keys(files).map((name) => [name, join(directory, name)])),
        ...env,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const lines: string[] = [];
    let rest = '';
    child.stdout.on('data', (piece: Buffer) => {
      const parts = (rest + piece.toString()).split('\n');
      rest = parts.pop() ?? '';
      lines.push(...parts);
    });
    child.stderr.on('data', (piece: Buffer) => lines.push(piece.toString()));
    const ended = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve) => {
      child.once('exit', (code, signal) => resolve({ code, signal }));
    });
    const launcher: Launcher = {
      lines,
      ended,
      stop() {
        child.kill('SIGTERM');
        return ended;
      },
      async kill() {
        child.kill('SIGKILL');
        await ended;
      },
    };
    launchers.add(launcher);
    let isReady = false;
    await eventually(
      'the launcher is ready',
      () => {
        isReady ||= lines.some((line) => line.includes('"msg":"ready"'));
        if (!isReady && child.exitCode !== null)
          throw new Error(`the launcher ended: ${lines.join('\n')}`);
        return isReady;
      },
      seconds,
    );
    return launcher;
  }

  function countAgents({ script }: ScriptedTask): number {
    return readdirSync('/proc').filter((pid) => {
      if (!/^\d+$/.test(pid)) return false;
      try {
        const line = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
        // The agent itself: bubblewrap carries the same words before there is an agent.
        return line.startsWith(INSIDE_NODE) && line.includes(script);
      } catch {
        return false;
      }
    }).length;
  }

  async function killLaunchers(): Promise<void> {
    await Promise.all([...launchers].map((launcher) => launcher.kill()));
    launchers.clear();
  }

  /** The argument by which the agent finds its script. */
  function writeScript(script: readonly ScriptedAction[]): string {
    scriptCount += 1;
    const name = `${deployment.id}-${scriptCount}`;
    const text = agentScript(...script);
    // The name stands in it, so that processes of this agent can be told from all others.
    if (options.inlineScripts === true) return text.replace('{', `{"name":"${name}",`);
    writeFileSync(join(scripts, `${name}.json`), text);
    return `/scripts/${name}.json`;
  }

  return {
    deployment,
    source,
    directory,
    stateDir,
    launch,
    answering,
    eventually,
    async seed(script, seeding = {}) {
      const file = writeScript(script);
      const { node, cli, ...rest } = seeding;
      const task = await seedAdmittedTask(deployment, {
        signer: keys.signer,
        startSha: source.sha,
        team: {
          v: 1,
          name: 'starter',
          nodes: [
            {
              id: 'developer',
              agent: { cli: cli ?? 'scripted', args: ['--script', file] },
              prompt: 'You are a developer.',
              ...node,
            },
          ],
        },
        ...rest,
      });
      return { ...task, script: file };
    },
    async seedTeam(nodes, edges, seeding = {}) {
      let last = '';
      const task = await seedAdmittedTask(deployment, {
        signer: keys.signer,
        startSha: source.sha,
        team: {
          v: 1,
          name: 'pipeline',
          nodes: Object.entries(nodes).map(([id, { script, ...node }]) => {
            last = writeScript(script ?? [{ do: 'handOff', outcome: 'done' }]);
            const agent = { cli: 'scripted', args: ['--script', last] };
            return { id, agent, prompt: `You are ${id}.`, ...node };
          }),
          edges: [...edges],
        },
        ...seeding,
      });
      return { ...task, script: last };
    },
    async until(taskId, state, seconds = 25) {
      let task: TaskRow | null = null;
      await eventually(
        `the task is ${state}`,
        async () => {
          task = await findTask(deployment.admin, taskId);
          return task?.state === state;
        },
        seconds,
      ).catch(async (error: unknown) => {
        const events = await readTimeline(deployment.admin, taskId);
        throw new Error(
          `${String(error)}; it is ${task?.state} (${task?.stateReason}); ${JSON.stringify(events.map((e) => [e.kind, e.data]))}`,
        );
      });
      if (task === null) throw new Error('no task');
      return task;
    },
    async look({ taskId, runId }) {
      const { admin } = deployment;
      const task = await findTask(admin, taskId);
      const run = await findRun(admin, runId);
      if (task === null || run === null) throw new Error('no task or run');
      const events = await readTimeline(admin, taskId);
      expect(await verifyTimeline(admin, taskId)).toBeNull();
      const { rows } = await admin.query<{ data: unknown }>(
        `select data from outbox where queue = 'publish' and data ->> 'runId' = $1`,
        [runId],
      );
      return {
        task,
        run,
        events,
        kinds: events.map((e) => e.kind),
        steps: await listSteps(admin, runId),
        queued: rows.map((row) => row.data),
        bundle: () => readArtifact(admin, run.bundleArtifactId ?? '', 1 << 26),
      };
    },
    allowGo: () => writeFileSync(join(scripts, 'go'), ''),
    forbidGo: () => rmSync(join(scripts, 'go'), { force: true }),
    countAgents,
    untilAgentRuns: (task) => eventually('the agent runs', () => countAgents(task) > 0),
    leftFiles() {
      try {
        return readdirSync(join(stateDir, 'runs'));
      } catch {
        return [];
      }
    },
    killLaunchers,
    async close() {
      await killLaunchers();
      await publisher.stop();
      await deployment.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
