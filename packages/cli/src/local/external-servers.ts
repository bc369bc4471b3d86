/**
 * The operator's own PostgreSQL and Redis: used instead of the embedded ones when DATABASE_URL_FILE or REDIS_URL_FILE
 * names a file with the URL. Files, because a URL with a password in an environment variable shows up in `ps`.
 */
import { readFileSync } from 'node:fs';
import { AppError } from '@sallyport/shared/errors';

const SERVERS = {
  database: { name: 'DATABASE_URL', protocols: ['postgres:', 'postgresql:'] },
  redis: { name: 'REDIS_URL', protocols: ['redis:', 'rediss:'] },
} as const;

export interface ExternalServers {
  readonly databaseUrl: string | undefined;
  readonly redisUrl: string | undefined;
}

/**
 * Reads the URLs that the environment names; undefined for a server that is to be embedded.
 * @throws AppError `bad_config` naming the variable, the file and the mend.
 */
export function readExternalServers(env: NodeJS.ProcessEnv): ExternalServers {
  return { databaseUrl: readUrl('database', env), redisUrl: readUrl('redis', env) };
}

function readUrl(kind: keyof typeof SERVERS, env: NodeJS.ProcessEnv): string | undefined {
  const { name, protocols } = SERVERS[kind];
  if (env[name] !== undefined) {
    throw new AppError(
      'bad_config',
      `${name}: a URL with a password must not be given by value; put it in a file and set ${name}_FILE`,
    );
  }
  const file = env[`${name}_FILE`];
  if (file === undefined || file === '') return undefined;
  let text: string;
  try {
    text = readFileSync(file, 'utf8').trim();
  } catch (error) {
    throw new AppError(
      'bad_config',
      `${name}_FILE: cannot read ${file}: check that it exists and is readable by this user`,
      { cause: error },
    );
  }
  const protocol = /^[a-z]+:/.exec(text)?.[0];
  if (!protocols.some((known) => known === protocol)) {
    throw new AppError(
      'bad_config',
      `${name}_FILE: ${file} does not hold a URL that begins with ${protocols[0]}//`,
    );
  }
  return text;
}
