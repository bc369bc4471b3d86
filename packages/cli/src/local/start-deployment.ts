/**
 * Brings up a whole deployment on this machine: servers (embedded, or the operator's own), roles, schema, Redis users,
 * per-process files, and the processes themselves, each under its own user where the machine allows it.
 */
import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { dropDeployment, provision } from '@sallyport/shared/db/provision';
import { dropRedisUsers, provisionRedisUsers } from '@sallyport/shared/queue/provision-users';
import type { Process } from '@sallyport/shared/processes';
import {
  createBreakableServers,
  startRestartable,
  type BreakableServers,
  type RestartableServer,
} from './breakable-servers.ts';
import { startEmbeddedPostgres } from './embedded-postgres.ts';
import { startEmbeddedRedis } from './embedded-redis.ts';
import { readExternalServers } from './external-servers.ts';
import { accountOf } from './process-account.ts';
import { handOutControlGroups } from './control-groups.ts';
import { chooseDataPlace } from './data-dir.ts';
import { prepareStage, type PreparedProcess } from './process-stage.ts';
import {
  PROCESS_TABLE,
  type DeploymentSettings,
  type SecretKind,
  type ServiceName,
} from './process-table.ts';
import { ensureSecrets, writeSecret } from './secrets.ts';
import { claimDeployment, prepareDeployment, type Claim } from './state-dir.ts';
import { createSupervisor, type Supervisor, type SupervisorEvent } from './supervise.ts';
import { createTemporaryDirectory } from './temporary.ts';

const STOP_DEADLINE_MS = 15_000;

export interface StartOptions {
  readonly state: string;
  readonly mode: 'demo' | 'up';
  readonly settings: DeploymentSettings;
  /** The App's private key in PEM; it is written for the publisher alone. */
  readonly githubAppKey: string;
  /** Given by the operator; otherwise made once and kept. */
  readonly webhookSecret?: string | undefined;
  readonly env: NodeJS.ProcessEnv;
  /** Keep nothing: roles, schema, keys and files go when the deployment stops. */
  readonly throwAway: boolean;
  readonly note: (text: string) => void;
  /** The longest wait before a crashed process is started again; default 30 s. */
  readonly maxBackoffMs?: number;
  /** Extra environment of single processes, for tests that kill them at a named moment. */
  readonly extraEnv?: Partial<Record<ServiceName, Record<string, string>>>;
}

export interface RunningDeployment {
  readonly id: string;
  /** As of now: with port 0 a restarted intake listens elsewhere. */
  readonly intakeUrl: string;
  readonly consoleUrl: string;
  /** The connection URL of the operator's own role. */
  readonly operatorDatabaseUrl: string;
  readonly operatorRedisUrl: string;
  readonly webhookSecret: string;
  readonly operatorToken: string;
  readonly dir: string;
  /** What each process was given. */
  readonly processes: readonly PreparedProcess[];
  readonly supervisor: Supervisor;
  /** The embedded servers of a throw-away deployment, for tests that break them; undefined in every other case. */
  readonly servers: BreakableServers | undefined;
  /** Ends everything in order. Safe to call again. */
  stop(): Promise<void>;
  kill(): void;
}

/**
 * Starts the deployment and returns when every process is ready.
 * @throws AppError or Error with what failed; what was started is stopped first.
 */
export async function startDeployment(options: StartOptions): Promise<RunningDeployment> {
  const { settings } = options;
  const paths = prepareDeployment(options.state, settings.id);
  const claim: Claim = claimDeployment(paths, { mode: options.mode });
  const temporary = createTemporaryDirectory();
  const servers: { postgres?: RestartableServer; redis?: RestartableServer } = {};
  const starting: Promise<unknown>[] = [];
  const supervisor = createSupervisor({
    restart: true,
    stopDeadlineMs: STOP_DEADLINE_MS,
    ...(options.maxBackoffMs === undefined ? {} : { maxBackoffMs: options.maxBackoffMs }),
    onEvent: (event) => report(event, options.note),
  });
  const cleanups: (() => Promise<void>)[] = [];
  let stopping: Promise<void> | undefined;

  function stop(): Promise<void> {
    stopping ??= (async () => {
      await supervisor.stop();
      for (const cleanup of cleanups) {
        await cleanup().catch((error: unknown) => options.note(`cleaning up: ${String(error)}`));
      }
      // One may still be starting when the other has failed: it is stopped once it is there.
      await Promise.allSettled(starting);
      await Promise.all([servers.postgres?.stop(), servers.redis?.stop()]);
      temporary.remove();
      claim.release();
      if (options.throwAway) rmSync(paths.dir, { recursive: true, force: true });
    })();
    return stopping;
  }

  try {
    const secrets = ensureSecrets(paths.secrets);
    const external = readExternalServers(options.env);
    const data = chooseDataPlace({
      deploymentDir: paths.dir,
      temporaryDir: temporary.path,
      account: accountOf(settings.id, 'intake'),
      throwAway: options.throwAway,
    });
    const durability = options.throwAway ? ('lost_on_crash' as const) : ('kept' as const);
    const [databaseUrl, redisUrl] = await Promise.all([
      external.databaseUrl ??
        startServer('postgres', () =>
          startEmbeddedPostgres({
            dataDir: data.postgres,
            temporaryDir: temporary.path,
            password: readFileSync(secrets.databaseAdminPassword, 'utf8'),
            durability,
            logFile: join(paths.logs, 'postgres.log'),
          }),
        ),
      external.redisUrl ??
        startServer('redis', (aclFile) =>
          startEmbeddedRedis({
            ...(aclFile === undefined ? {} : { aclFile }),
            dataDir: data.redis,
            temporaryDir: temporary.path,
            password: readFileSync(secrets.redisAdminPassword, 'utf8'),
            durability,
            logFile: join(paths.logs, 'redis.log'),
          }),
        ),
    ]);
    const passwords = makePasswords();
    const [databaseUrls, redisUrls] = await Promise.all([
      provision({
        adminUrl: databaseUrl,
        deployment: settings.id,
        passwords,
        exclusive: external.databaseUrl === undefined,
      }),
      provisionRedisUsers({ adminUrl: redisUrl, deployment: settings.id, passwords }),
    ]);
    if (options.throwAway && external.databaseUrl !== undefined) {
      cleanups.push(() => dropDeployment(databaseUrl, settings.id));
    }
    if (options.throwAway && external.redisUrl !== undefined) {
      cleanups.push(() => dropRedisUsers(redisUrl, settings.id));
    }
    const operatorToken = readFileSync(secrets.operatorToken, 'utf8');
    const webhookSecret = options.webhookSecret ?? readFileSync(secrets.webhookSecret, 'utf8');

    function secretOf(kind: SecretKind, name: ServiceName): string {
      switch (kind) {
        case 'databaseUrl':
          return databaseUrls[name];
        case 'redisUrl':
          return redisUrls[name];
        case 'webhookSecret':
          return webhookSecret;
        case 'ticketPrivateKey':
          return readFileSync(secrets.ticketPrivateKey, 'utf8');
        case 'ticketPublicKey':
          return readFileSync(secrets.ticketPublicKey, 'utf8');
        case 'githubAppKey':
          return options.githubAppKey;
        case 'operatorTokenSha256':
          return createHash('sha256').update(operatorToken).digest('hex');
      }
    }

    const groups = handOutControlGroups(settings.id, accountOf(settings.id, 'worker-launcher'));
    cleanups.push(() => groups.remove());
    const listening = new Map<ServiceName, number>();
    const processes = prepareStage({
      settings,
      dataDir: data.dir,
      logsDir: paths.logs,
      temporaryDir: temporary.path,
      secretOf,
      extraEnv: options.extraEnv,
      launcherGroups: groups.enter,
      onLine: (name, line) => {
        const port = parseListening(line);
        if (port !== undefined) listening.set(name, port);
      },
    });
    await supervisor.start(processes.map(({ service }) => service));

    const consoleUrl = `http://${settings.console.host}:${listening.get('console') ?? settings.console.port}`;
    const databaseUrlFile = writeSecret(
      paths.secrets,
      'operator-database-url',
      databaseUrls.operator,
    );
    const redisUrlFile = writeSecret(paths.secrets, 'operator-redis-url', redisUrls.operator);
    claim.update({ mode: options.mode, databaseUrlFile, redisUrlFile, consoleUrl });
    return {
      id: settings.id,
      get intakeUrl() {
        return `http://${settings.intake.host}:${listening.get('intake') ?? settings.intake.port}`;
      },
      consoleUrl,
      operatorDatabaseUrl: databaseUrls.operator,
      operatorRedisUrl: redisUrls.operator,
      webhookSecret,
      operatorToken,
      dir: paths.dir,
      processes,
      supervisor,
      servers:
        options.throwAway && servers.postgres !== undefined && servers.redis !== undefined
          ? createBreakableServers(servers.postgres, servers.redis, paths.secrets)
          : undefined,
      stop,
      kill: () => supervisor.kill(),
    };
  } catch (error) {
    await stop();
    throw error;
  }

  async function startServer(
    name: 'postgres' | 'redis',
    start: Parameters<typeof startRestartable>[0],
  ): Promise<string> {
    const begun = startRestartable(start);
    starting.push(begun);
    const running = await begun;
    servers[name] = running;
    return running.url;
  }
}

/** The agents file of a deployment whose agents are given as an object. */
export function writeAgentsFile(dir: string, agents: unknown): string {
  mkdirSync(dir, { recursive: true });
  const file = join(dir, 'agents.json');
  writeFileSync(file, JSON.stringify(agents), { mode: 0o644 });
  return file;
}

function makePasswords(): Record<Process, string> {
  const names: Process[] = [...PROCESS_TABLE.map((entry) => entry.name), 'operator'];
  return Object.fromEntries(
    names.map((name) => [name, randomBytes(24).toString('base64url')]),
  ) as Record<Process, string>;
}

function parseListening(line: string): number | undefined {
  if (!line.includes('"listening"')) return undefined;
  try {
    const fields = JSON.parse(line) as { msg?: unknown; port?: unknown };
    return fields.msg === 'listening' && typeof fields.port === 'number' ? fields.port : undefined;
  } catch {
    return undefined;
  }
}

function report(event: SupervisorEvent, note: (text: string) => void): void {
  if (event.kind === 'restarting') {
    note(
      `${event.name} ended (${event.ended.signal ?? `exit code ${event.ended.code}`}), starting it again in ${event.inMs} ms`,
    );
  } else if (event.kind === 'given_up') {
    note(
      `${event.name} ended (${event.ended.signal ?? `exit code ${event.ended.code}`}) and is not started again`,
    );
  }
}
