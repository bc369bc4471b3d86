/**
 * What a deployment on this machine keeps between starts, and how other commands find a running one: a directory per
 * deployment below `.local/deployments`, and in it, while it runs, a file that says who runs it and where to reach it.
 * That file counts only while its writer lives, so a killed deployment is neither found nor in the way.
 */
import {
  mkdirSync,
  chmodSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { AppError } from '@sallyport/shared/errors';
import { DEPLOYMENT_PATTERN } from '@sallyport/shared/processes';
import { z } from 'zod';
import { hasEnded, ownIdentity } from './process-identity.ts';

const CHECKOUT = join(import.meta.dirname, '..', '..', '..', '..');
const REGISTRATION_FILE = /^running-\d+\.json$/;

export interface DeploymentPaths {
  readonly id: string;
  readonly dir: string;
  /** 0700; see secrets.ts. */
  readonly secrets: string;
  readonly logs: string;
}

const registrationSchema = z.object({
  v: z.literal(1),
  id: z.string(),
  mode: z.enum(['demo', 'up']),
  startedAt: z.iso.datetime(),
  owner: z.object({ pid: z.number(), startTime: z.string(), namespace: z.string() }),
  /** Absolute paths: the file with the operator role's database URL, the one with Redis', the console's unix socket. */
  databaseUrlFile: z.string().optional(),
  redisUrlFile: z.string().optional(),
  consoleSocket: z.string().optional(),
  consoleUrl: z.string().optional(),
});
export type Registration = z.infer<typeof registrationSchema>;
export type RegistrationDetails = Omit<Registration, 'v' | 'id' | 'startedAt' | 'owner'>;

/** Where local state lies: SALLYPORT_STATE_DIR, else `.local` of this checkout. */
export function stateDir(env: NodeJS.ProcessEnv): string {
  return resolve(env['SALLYPORT_STATE_DIR'] ?? join(CHECKOUT, '.local'));
}

/**
 * Makes the directories of a deployment and returns their paths.
 * @throws AppError `bad_input` for an id that could not be a part of database role names; `unavailable` with the mend when
 *   they cannot be made.
 */
export function prepareDeployment(state: string, id: string): DeploymentPaths {
  if (!DEPLOYMENT_PATTERN.test(id)) {
    throw new AppError(
      'bad_input',
      `${id} is no deployment id: use 2 to 24 lower-case letters, digits and _`,
    );
  }
  const dir = join(state, 'deployments', id);
  const paths = {
    id,
    dir,
    secrets: join(dir, 'secrets'),
    logs: join(dir, 'logs'),
  };
  try {
    mkdirSync(dir, { recursive: true });
    // Passable for the OS accounts of servers and processes, readable for nobody else.
    chmodSync(dir, 0o711);
    mkdirSync(paths.logs, { recursive: true, mode: 0o700 });
    mkdirSync(paths.secrets, { recursive: true, mode: 0o700 });
  } catch (cause) {
    throw new AppError(
      'unavailable',
      `cannot make ${dir} (${(cause as NodeJS.ErrnoException).code ?? 'unknown'}): set SALLYPORT_STATE_DIR to a directory that this user can write to`,
      { cause },
    );
  }
  return paths;
}

/** This process's claim on a deployment. */
export interface Claim {
  /** Says how to reach the deployment, once that is known. */
  update(details: RegistrationDetails): void;
  release(): void;
}

/**
 * Registers this process as the one that runs the deployment.
 * @throws AppError `conflict` when a living process does already (of two at the same moment, both may be refused; never
 *   are both let in).
 */
export function claimDeployment(paths: DeploymentPaths, details: RegistrationDetails): Claim {
  const file = join(paths.dir, `running-${process.pid}.json`);
  const startedAt = new Date().toISOString();
  function update(current: RegistrationDetails): void {
    const registration: Registration = {
      v: 1,
      id: paths.id,
      startedAt,
      owner: ownIdentity(),
      ...current,
    };
    writeFileSync(`${file}.new`, JSON.stringify(registration), { mode: 0o600 });
    renameSync(`${file}.new`, file);
  }
  update(details);
  const others = registrationsIn(paths.dir).filter(({ owner }) => owner.pid !== process.pid);
  const [other] = others;
  if (other) {
    rmSync(file, { force: true });
    throw new AppError(
      'conflict',
      `deployment ${paths.id} is already running (process ${other.owner.pid})`,
    );
  }
  return { update, release: () => rmSync(file, { force: true }) };
}

/** The deployments of this state directory that run now, oldest first. */
export function runningDeployments(state: string): Registration[] {
  const root = join(state, 'deployments');
  return list(root)
    .flatMap((id) => registrationsIn(join(root, id)))
    .toSorted((a, b) => a.startedAt.localeCompare(b.startedAt));
}

/** Reads the living registrations in a deployment's directory; those of ended processes are removed on the way. */
function registrationsIn(dir: string): Registration[] {
  const living: Registration[] = [];
  for (const name of list(dir)) {
    if (!REGISTRATION_FILE.test(name)) continue;
    const registration = readRegistration(join(dir, name));
    if (registration && !hasEnded(registration.owner)) living.push(registration);
    else if (registration) rmSync(join(dir, name), { force: true });
  }
  return living;
}

function readRegistration(file: string): Registration | undefined {
  try {
    return registrationSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    // Removed meanwhile, or another version's: not ours to judge.
    return undefined;
  }
}

function list(dir: string): string[] {
  try {
    return readdirSync(dir);
  } catch {
    return [];
  }
}
