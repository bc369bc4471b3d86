/** Makes the Redis users of a deployment on a running server. Repeating it renews them; other users are left alone. */
import { randomBytes } from 'node:crypto';
import { Redis } from 'ioredis';
import { AppError } from '../errors.ts';
import { PROCESSES, type Process } from '../processes.ts';
import { aclRules, redisUserName } from './acl.ts';

export interface RedisUsersOptions {
  /** A URL whose user may change the access list. */
  adminUrl: string;
  deployment: string;
  passwords?: Partial<Record<Process, string>>;
}

/**
 * Makes one user per process.
 * @returns the connection URL of each process.
 * @throws AppError `bad_config` when the user of `adminUrl` may not change the access list.
 */
export async function provisionRedisUsers(
  options: RedisUsersOptions,
): Promise<Record<Process, string>> {
  const { adminUrl, deployment } = options;
  const redis = new Redis(adminUrl, {
    maxRetriesPerRequest: 1,
    lazyConnect: true,
    retryStrategy: () => null,
  });
  redis.on('error', () => {});
  const urls = {} as Record<Process, string>;
  try {
    await redis.connect();
    for (const process of PROCESSES) {
      const password = options.passwords?.[process] ?? randomBytes(24).toString('base64url');
      const name = redisUserName(deployment, process);
      await redis.call('ACL', 'SETUSER', name, ...aclRules(deployment, process, password));
      urls[process] = redisUrlFor(adminUrl, name, password);
    }
    return urls;
  } catch (cause) {
    throw new AppError(
      'bad_config',
      'making the Redis users of the deployment: give REDIS_URL_FILE a user that may run ACL SETUSER',
      { cause },
    );
  } finally {
    redis.disconnect();
  }
}

/** All users of a server as the lines of an ACL file, passwords hashed. */
export async function listRedisUsers(adminUrl: string): Promise<string[]> {
  const redis = new Redis(adminUrl, { maxRetriesPerRequest: 1 });
  redis.on('error', () => {});
  try {
    return (await redis.call('ACL', 'LIST')) as string[];
  } finally {
    redis.disconnect();
  }
}

/** Removes the users and keys of a deployment. */
export async function dropRedisUsers(adminUrl: string, deployment: string): Promise<void> {
  const redis = new Redis(adminUrl, { maxRetriesPerRequest: 1 });
  redis.on('error', () => {});
  try {
    await redis.call(
      'ACL',
      'DELUSER',
      ...PROCESSES.map((process) => redisUserName(deployment, process)),
    );
    for await (const keys of redis.scanStream({ match: `${deployment}:{*`, count: 500 })) {
      const found = keys as string[];
      if (found.length > 0) await redis.unlink(...found);
    }
  } finally {
    redis.disconnect();
  }
}

/** The same server under another user. A socket URL keeps its `path` parameter. */
export function redisUrlFor(adminUrl: string, user: string, password: string): string {
  const url = new URL(adminUrl);
  url.username = user;
  url.password = password;
  return url.toString();
}
