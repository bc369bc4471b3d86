/**
 * Makes the state directory of a compose deployment: secrets, configuration, and a directory for each container that keeps
 * something. Doing it again makes what is missing and changes nothing that is right. Each file has its owner and mode
 * before it has its name, so nobody ever sees it open.
 */
import { randomBytes, createPrivateKey, generateKeyPairSync } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { AppError } from '@sallyport/shared/errors';
import { DEPLOYMENT_PATTERN, PROCESSES, type Process } from '@sallyport/shared/processes';
import { ensureSecret, randomSecret } from '../local/secrets.ts';
import { secretText, type MasterSecrets } from './make-secrets.ts';
import { CONTAINERS_WITH_DATA, CONTAINER_UIDS, planSecrets } from './secret-plan.ts';

export interface PrepareOptions {
  /** The state directory itself. */
  readonly dir: string;
  readonly deployment: string;
  /** The App's private key as downloaded; needed the first time. */
  readonly appKeyFile?: string | undefined;
  /** Files that become the first configuration, by the name that they get. */
  readonly examples: Readonly<Record<string, string>>;
  /** Whose the configuration is, to be edited; default: the caller's. */
  readonly configOwner?: { readonly uid: number; readonly gid: number } | undefined;
  /** Said about each thing that is made or changed. */
  readonly note: (text: string) => void;
  /** Gives a file or directory to a user; replaced where the caller is not root. */
  readonly give?: (path: string, uid: number, gid: number) => void;
}

/**
 * Prepares the directory.
 * @returns how many files and directories were made or changed.
 * @throws AppError `bad_config` when the key is missing or no key, or the directory belongs to another deployment.
 */
export function prepareState(options: PrepareOptions): number {
  const { dir, deployment } = options;
  const give = options.give ?? chownSync;
  let changes = 0;
  function changed(text: string): void {
    changes += 1;
    options.note(text);
  }

  if (!DEPLOYMENT_PATTERN.test(deployment))
    throw new AppError('bad_config', `DEPLOYMENT_ID: ${deployment} is no deployment id`);
  mkdirSync(dir, { recursive: true });
  requireSameDeployment(dir, deployment);
  const secretsDir = join(dir, 'secrets');
  const masterDir = join(secretsDir, 'master');
  closeToAll(secretsDir);
  const before = new Set(existsSync(masterDir) ? readdirSync(masterDir) : []);
  const keptKey = existsSync(appKeyFileIn(secretsDir));
  const master = ensureMaster(masterDir, options.appKeyFile);
  if (keptKey && options.appKeyFile !== undefined)
    options.note(
      'kept the App key that is there; remove secrets/publisher/github-app-key to replace it',
    );
  for (const name of readdirSync(masterDir)) if (!before.has(name)) changed(`made ${name}`);

  for (const { container, file, secret } of planSecrets()) {
    const uid = CONTAINER_UIDS[container];
    closeToAll(join(secretsDir, container));
    const path = join(secretsDir, container, file);
    const text = secretText(secret, container, deployment, master);
    if (isRight(path, text, uid, give === options.give)) continue;
    writeWhole(path, text, (making) => give(making, uid, uid));
    changed(`wrote secrets/${container}/${file}`);
  }

  mkdirSync(join(dir, 'data'), { recursive: true, mode: 0o755 });
  for (const container of CONTAINERS_WITH_DATA) {
    const path = join(dir, 'data', container);
    if (existsSync(path)) continue;
    mkdirSync(path, { mode: 0o700 });
    give(path, CONTAINER_UIDS[container], CONTAINER_UIDS[container]);
    changed(`made data/${container}`);
  }
  const configDir = join(dir, 'config');
  function giveToOwner(path: string): void {
    if (options.configOwner !== undefined)
      give(path, options.configOwner.uid, options.configOwner.gid);
  }
  if (!existsSync(configDir)) {
    mkdirSync(configDir, { mode: 0o755 });
    giveToOwner(configDir);
  }
  for (const [name, example] of Object.entries(options.examples)) {
    const path = join(configDir, name);
    if (existsSync(path)) continue;
    copyFileSync(example, path);
    chmodSync(path, 0o644);
    giveToOwner(path);
    changed(`copied config/${name} from the example; look into it`);
  }
  return changes;
}

function requireSameDeployment(dir: string, deployment: string): void {
  const file = join(dir, 'deployment');
  if (!existsSync(file)) {
    writeFileSync(file, `${deployment}\n`);
    return;
  }
  const found = readFileSync(file, 'utf8').trim();
  if (found !== deployment) {
    throw new AppError(
      'bad_config',
      `${dir} belongs to deployment ${found}, not ${deployment}; set DEPLOYMENT_ID back, or use another directory`,
    );
  }
}

function ensureMaster(dir: string, appKeyFile: string | undefined): MasterSecrets {
  const ensure = (name: string, make: () => string): string =>
    readFileSync(ensureSecret(dir, name, make), 'utf8');
  const perProcess = (kind: string): Record<Process, string> =>
    Object.fromEntries(
      PROCESSES.map((process) => [process, ensure(`${kind}-password-${process}`, randomSecret)]),
    ) as Record<Process, string>;
  return {
    // First, so that a missing key leaves nothing half made.
    githubAppKey: readAppKey(dir, appKeyFile),
    webhookSecret: ensure('webhook-secret', randomSecret),
    ticketPrivateKey: ensure('ticket-key.pem', newTicketKey),
    operatorToken: ensure('operator-token', randomSecret),
    databaseAdminPassword: ensure('database-admin-password', randomSecret),
    databasePasswords: perProcess('database'),
    redisPasswords: perProcess('redis'),
  };
}

/** The App's key is the publisher's alone: kept nowhere but in its own secret file. */
function readAppKey(masterDir: string, appKeyFile: string | undefined): string {
  const kept = appKeyFileIn(join(masterDir, '..'));
  if (existsSync(kept)) return readFileSync(kept, 'utf8');
  if (appKeyFile === undefined)
    throw new AppError('bad_config', 'the private key of the App is missing; give --app-key FILE');
  const pem = readFileSync(appKeyFile, 'utf8').trimEnd();
  try {
    createPrivateKey(pem);
  } catch (cause) {
    throw new AppError('bad_config', 'the file of --app-key holds no private key in PEM', {
      cause,
    });
  }
  return `${pem}\n`;
}

function appKeyFileIn(secretsDir: string): string {
  return join(secretsDir, 'publisher', 'github-app-key');
}

function closeToAll(dir: string): void {
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  chmodSync(dir, 0o700);
}

function isRight(path: string, text: string, uid: number, ownerUnknown: boolean): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) return false;
  const owned = ownerUnknown || (found.uid === uid && found.gid === uid);
  return owned && (found.mode & 0o777) === 0o400 && readFileSync(path, 'utf8') === text;
}

function writeWhole(path: string, text: string, give: (making: string) => void): void {
  const making = `${path}.${randomBytes(6).toString('hex')}`;
  try {
    writeFileSync(making, text, { mode: 0o400, flag: 'wx' });
    give(making);
    renameSync(making, path);
  } finally {
    rmSync(making, { force: true });
  }
}

function newTicketKey(): string {
  return generateKeyPairSync('ed25519')
    .privateKey.export({ type: 'pkcs8', format: 'pem' })
    .toString();
}
