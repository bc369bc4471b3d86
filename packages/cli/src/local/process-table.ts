/**
 * The processes of a deployment on one machine: where each starts, and the literal list of what it is given. A test holds
 * these lists against what the processes themselves declare, so that neither can gain a variable in silence.
 */
import { join } from 'node:path';
import type { Process } from '@sallyport/shared/processes';

/** The processes that run for as long as the deployment does; the operator's role has none. */
export type ServiceName = Exclude<Process, 'operator'>;

/** Secrets by what they are; the files are made per process. */
export type SecretKind =
  | 'databaseUrl'
  | 'redisUrl'
  | 'webhookSecret'
  | 'ticketPrivateKey'
  | 'ticketPublicKey'
  | 'githubAppKey'
  | 'operatorTokenSha256';

/** What the table needs to know of a deployment to fill in values. */
export interface DeploymentSettings {
  readonly id: string;
  readonly logLevel: string;
  readonly github: {
    readonly apiUrl: string;
    readonly url: string;
    readonly appId: number;
    readonly appSlug: string;
  };
  readonly intake: { readonly host: string; readonly port: number };
  readonly console: { readonly host: string; readonly port: number };
  readonly launcher: { readonly maxRuns: number; readonly leaseSeconds: number };
  readonly agentsFile: string;
  readonly teamsFile?: string | undefined;
  readonly policyFile?: string | undefined;
  readonly environmentsFile?: string | undefined;
  readonly branchPrefix?: string | undefined;
  readonly importIsolation: 'bubblewrap' | 'none';
}

export interface ProcessEntry {
  readonly name: ServiceName;
  /** The main, as a path from the root of the checkout. */
  readonly main: string;
  /** Environment variable (without `_FILE`) to secret. */
  readonly secrets: Readonly<Record<string, SecretKind>>;
  readonly values: (settings: DeploymentSettings, stateDir: string) => Record<string, string>;
}

const COMMON = { DATABASE_URL: 'databaseUrl', REDIS_URL: 'redisUrl' } as const;

export const PROCESS_TABLE: readonly ProcessEntry[] = [
  {
    name: 'intake',
    main: 'services/intake/src/main.ts',
    secrets: { ...COMMON, WEBHOOK_SECRET: 'webhookSecret' },
    values: (s) => ({ HOST: s.intake.host, PORT: String(s.intake.port) }),
  },
  {
    name: 'gate',
    main: 'services/gate/src/main.ts',
    secrets: { ...COMMON, TICKET_KEY: 'ticketPrivateKey' },
    values: (s) => ({
      GITHUB_APP_ID: String(s.github.appId),
      GITHUB_APP_SLUG: s.github.appSlug,
      ...optional('TEAMS_FILE', s.teamsFile),
      ...optional('POLICY_FILE', s.policyFile),
      ...optional('BRANCH_PREFIX', s.branchPrefix),
    }),
  },
  {
    name: 'worker-launcher',
    main: 'services/worker-launcher/src/launcher/main.ts',
    secrets: { ...COMMON, TICKET_PUBLIC_KEYS: 'ticketPublicKey' },
    values: (s, stateDir) => ({
      STATE_DIR: stateDir,
      SANDBOX_DRIVER: 'bubblewrap',
      AGENTS_FILE: s.agentsFile,
      MAX_RUNS: String(s.launcher.maxRuns),
      LEASE_SECONDS: String(s.launcher.leaseSeconds),
      ...optional('ENVIRONMENTS_FILE', s.environmentsFile),
    }),
  },
  {
    name: 'publisher',
    main: 'services/publisher/src/publisher/main.ts',
    secrets: { ...COMMON, GITHUB_APP_KEY: 'githubAppKey', TICKET_PUBLIC_KEYS: 'ticketPublicKey' },
    values: (s, stateDir) => ({
      GITHUB_API_URL: s.github.apiUrl,
      GITHUB_URL: s.github.url,
      GITHUB_APP_ID: String(s.github.appId),
      STATE_DIR: stateDir,
      ...optional('POLICY_FILE', s.policyFile),
      ...optional('BRANCH_PREFIX', s.branchPrefix),
    }),
  },
  {
    name: 'importer',
    main: 'services/publisher/src/importer/main.ts',
    secrets: { ...COMMON, TICKET_PUBLIC_KEYS: 'ticketPublicKey' },
    values: (s, stateDir) => ({ STATE_DIR: stateDir, IMPORT_ISOLATION: s.importIsolation }),
  },
  {
    name: 'console',
    main: 'services/console/src/main.ts',
    secrets: { ...COMMON, OPERATOR_TOKEN_SHA256: 'operatorTokenSha256' },
    values: (s) => ({
      HOST: s.console.host,
      PORT: String(s.console.port),
      ...optional('TEAMS_FILE', s.teamsFile),
    }),
  },
];

/** What Node and the programs that a process starts need to run at all. */
export function runtimeEnvironment(temporaryDir: string): Record<string, string> {
  return {
    PATH: '/usr/local/bin:/usr/bin:/bin',
    HOME: '/nonexistent',
    LANG: 'C.UTF-8',
    TMPDIR: temporaryDir,
    // The loader's cache is code that would be run by whoever shares the directory.
    TSX_DISABLE_CACHE: '1',
  };
}

/** The whole environment of a process: values by name, secrets as files, and the runtime's own. */
export function environmentFor(
  entry: ProcessEntry,
  settings: DeploymentSettings,
  places: { readonly secretsDir: string; readonly stateDir: string; readonly temporaryDir: string },
): Record<string, string> {
  const secrets = Object.keys(entry.secrets).map((name): [string, string] => [
    `${name}_FILE`,
    join(places.secretsDir, secretFileName(name)),
  ]);
  return {
    ...runtimeEnvironment(places.temporaryDir),
    DEPLOYMENT_ID: settings.id,
    LOG_LEVEL: settings.logLevel,
    ...entry.values(settings, places.stateDir),
    ...Object.fromEntries(secrets),
  };
}

/** The name of the file that holds the secret of this variable. */
export function secretFileName(variable: string): string {
  return variable.toLowerCase().replaceAll('_', '-');
}

function optional(name: string, value: string | undefined): Record<string, string> {
  return value === undefined ? {} : { [name]: value };
}
