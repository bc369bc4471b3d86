/**
 * What each container is given, word for word: the literal lists that the running containers are held against. They stand
 * here a second time on purpose; whoever widens a wall has to say so twice.
 */
import { APP, DEPLOYMENT, GITHUB_PORTS } from './world.ts';

export interface Expected {
  readonly uid: number;
  readonly secrets: readonly string[];
  /** Whether it is in no network but the one between the processes. */
  readonly inside: boolean;
  /** The whole environment, but the host name. */
  readonly environment: Readonly<Record<string, string>>;
}

const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
const PROCESS = {
  PATH,
  HOME: '/nonexistent',
  LANG: 'C.UTF-8',
  TMPDIR: '/tmp',
  TSX_DISABLE_CACHE: '1',
  DEPLOYMENT_ID: DEPLOYMENT,
  LOG_LEVEL: 'info',
  DATABASE_URL_FILE: '/run/secrets/database-url',
  REDIS_URL_FILE: '/run/secrets/redis-url',
};
const STATE_DIR = '/var/lib/sallyport';
const TICKET_PUBLIC_KEYS_FILE = '/run/secrets/ticket-public-keys';

export const EXPECTED: Readonly<Record<string, Expected>> = {
  intake: {
    uid: 10_001,
    secrets: ['database-url', 'redis-url', 'webhook-secret'],
    inside: false,
    environment: {
      ...PROCESS,
      HOST: '0.0.0.0',
      PORT: '8080',
      WEBHOOK_SECRET_FILE: '/run/secrets/webhook-secret',
    },
  },
  gate: {
    uid: 10_002,
    secrets: ['database-url', 'redis-url', 'ticket-key'],
    inside: true,
    environment: {
      ...PROCESS,
      GITHUB_APP_ID: String(APP.id),
      GITHUB_APP_SLUG: APP.slug,
      TEAMS_FILE: '/etc/sallyport/teams.json',
      BRANCH_PREFIX: 'agent',
      TICKET_KEY_FILE: '/run/secrets/ticket-key',
    },
  },
  'worker-launcher': {
    uid: 10_003,
    secrets: ['database-url', 'redis-url', 'ticket-public-keys'],
    inside: true,
    environment: {
      ...PROCESS,
      STATE_DIR,
      SANDBOX_DRIVER: 'bubblewrap',
      AGENTS_FILE: '/etc/sallyport/agents.json',
      MAX_RUNS: '2',
      LEASE_SECONDS: '30',
      TICKET_PUBLIC_KEYS_FILE,
    },
  },
  publisher: {
    uid: 10_004,
    secrets: ['database-url', 'github-app-key', 'redis-url', 'ticket-public-keys'],
    inside: false,
    environment: {
      ...PROCESS,
      GITHUB_API_URL: `https://github:${GITHUB_PORTS.https}/api`,
      GITHUB_URL: `https://github:${GITHUB_PORTS.https}`,
      GITHUB_APP_ID: String(APP.id),
      STATE_DIR,
      BRANCH_PREFIX: 'agent',
      GIT_ISOLATION: 'none',
      GITHUB_APP_KEY_FILE: '/run/secrets/github-app-key',
      TICKET_PUBLIC_KEYS_FILE,
      // The stand-in's authority, as an operator gives that of a GitHub Enterprise Server.
      NODE_EXTRA_CA_CERTS: '/etc/ssl/certs/ca-certificates.crt',
    },
  },
  importer: {
    uid: 10_005,
    secrets: ['database-url', 'redis-url', 'ticket-public-keys'],
    inside: true,
    environment: { ...PROCESS, STATE_DIR, IMPORT_ISOLATION: 'none', TICKET_PUBLIC_KEYS_FILE },
  },
  console: {
    uid: 10_006,
    secrets: ['database-url', 'operator-token-sha256', 'redis-url'],
    inside: false,
    environment: {
      ...PROCESS,
      HOST: '0.0.0.0',
      PORT: '8081',
      TEAMS_FILE: '/etc/sallyport/teams.json',
      OPERATOR_TOKEN_SHA256_FILE: '/run/secrets/operator-token-sha256',
    },
  },
  postgres: {
    uid: 10_020,
    secrets: ['admin-password'],
    inside: true,
    environment: {
      PATH: '/usr/lib/postgresql/15/bin:/usr/local/bin:/usr/bin:/bin',
      HOME: '/nonexistent',
      LANG: 'C.UTF-8',
      PGDATA: '/data/pgdata',
      POSTGRES_USER: 'sallyport_admin',
      POSTGRES_DB: 'sallyport',
      POSTGRES_PASSWORD_FILE: '/run/secrets/admin-password',
      POSTGRES_INITDB_ARGS: '--auth=scram-sha-256 --locale=C.UTF-8',
    },
  },
  redis: {
    uid: 10_021,
    secrets: ['users.acl'],
    inside: true,
    environment: { PATH, HOME: '/nonexistent' },
  },
};

/** The processes of ours, which say to the database that they live. */
export const PROCESSES = [
  'console',
  'gate',
  'importer',
  'intake',
  'publisher',
  'worker-launcher',
] as const;
