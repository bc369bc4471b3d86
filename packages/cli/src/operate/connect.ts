/**
 * How an operator's command reaches a deployment: the one that runs from this checkout, or the one that the environment
 * names (in a container: DEPLOYMENT_ID, DATABASE_URL_FILE, REDIS_URL_FILE). Commands speak to Postgres themselves, under
 * the operator's own role, so that the halt works while everything else is down.
 */
import { readFileSync } from 'node:fs';
import { createPool, type Pool } from '@sallyport/shared/db/pool';
import { AppError } from '@sallyport/shared/errors';
import { runningDeployments, stateDir } from '../local/state-dir.ts';
import { stringOption, type Call } from '../command.ts';
import { operatorName } from './operator-name.ts';

export const DEPLOYMENT_OPTION = { deployment: { type: 'string' } } as const;
export const DEPLOYMENT_HELP = '  --deployment ID   which one, when several run from this checkout';

export interface Connection {
  readonly deployment: string;
  readonly db: Pool;
  readonly redisUrl: string | undefined;
  /** Who asks, for the record. */
  readonly operator: string;
  close(): Promise<void>;
}

/**
 * Connects to the deployment that the call means.
 * @throws AppError `not_found` when none runs, `bad_input` when it is not clear which.
 */
export function connect(call: Call, env: NodeJS.ProcessEnv = process.env): Connection {
  const target = findTarget(stringOption(call, 'deployment'), env);
  const db = createPool({
    url: target.databaseUrl,
    deployment: target.deployment,
    process: 'operator',
    max: 2,
  });
  return {
    deployment: target.deployment,
    db,
    redisUrl: target.redisUrl,
    operator: operatorName(),
    close: () => db.end(),
  };
}

interface Target {
  deployment: string;
  databaseUrl: string;
  redisUrl: string | undefined;
}

function findTarget(wanted: string | undefined, env: NodeJS.ProcessEnv): Target {
  const named = env['DEPLOYMENT_ID'];
  const databaseFile = env['DATABASE_URL_FILE'];
  if (named !== undefined && databaseFile !== undefined) {
    return {
      deployment: named,
      databaseUrl: readUrlFile(databaseFile),
      redisUrl:
        env['REDIS_URL_FILE'] === undefined ? undefined : readUrlFile(env['REDIS_URL_FILE']),
    };
  }
  const running = runningDeployments(stateDir(env)).filter(
    (found) => found.databaseUrlFile !== undefined && (wanted === undefined || found.id === wanted),
  );
  const [only, ...others] = running;
  if (only?.databaseUrlFile === undefined) {
    const which = wanted === undefined ? 'no deployment' : `no deployment ${wanted}`;
    throw new AppError(
      'not_found',
      `${which} runs from this checkout; start one (sallyport up, sallyport demo --keep) or set DEPLOYMENT_ID and DATABASE_URL_FILE`,
    );
  }
  if (others.length > 0) {
    throw new AppError(
      'bad_input',
      `several deployments run; say --deployment ${running.map((found) => found.id).join(' | ')}`,
    );
  }
  return {
    deployment: only.id,
    databaseUrl: readUrlFile(only.databaseUrlFile),
    redisUrl: only.redisUrlFile === undefined ? undefined : readUrlFile(only.redisUrlFile),
  };
}

function readUrlFile(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (cause) {
    throw new AppError(
      'bad_config',
      `cannot read ${file}; it is readable by the user who started the deployment`,
      { cause },
    );
  }
}
