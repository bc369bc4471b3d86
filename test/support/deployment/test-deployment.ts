/**
 * One deployment of its own for a test file: schema, roles and key prefix of its own on the shared servers, so that files
 * run side by side and nobody flushes anything. Dropped again at the end.
 */
import { randomBytes } from 'node:crypto';
import { Redis } from 'ioredis';
import { dropDeployment, provision, type ProcessUrls } from '@sallyport/shared/db/provision';
import { createPool, type Pool } from '@sallyport/shared/db/pool';
import type { Process } from '@sallyport/shared/processes';
import { inject } from 'vitest';

export interface TestDeployment {
  id: string;
  adminUrl: string;
  redisUrl: string;
  urls: ProcessUrls;
  /** A pool with the rights of one process. Closed by `close`. */
  pool(process: Process): Pool;
  /** A pool with all rights, for arranging what a test needs and looking at everything. */
  admin: Pool;
  close(): Promise<void>;
}

export async function createTestDeployment(): Promise<TestDeployment> {
  const adminUrl = inject('adminDatabaseUrl');
  const redisUrl = inject('redisUrl');
  const id = `t_${randomBytes(6).toString('hex')}`;
  const urls = await provision({ adminUrl, deployment: id });
  const pools = new Map<string, Pool>();
  const admin = createPool({ url: adminUrl, deployment: id, process: 'test' });
  return {
    id,
    adminUrl,
    redisUrl,
    urls,
    admin,
    pool(process) {
      let pool = pools.get(process);
      if (pool === undefined) {
        pool = createPool({ url: urls[process], deployment: id, process, max: 4 });
        pools.set(process, pool);
      }
      return pool;
    },
    async close() {
      await Promise.all([...pools.values(), admin].map((pool) => pool.end()));
      await dropDeployment(adminUrl, id);
      const redis = new Redis(redisUrl);
      for await (const keys of redis.scanStream({ match: `${id}:*`, count: 500 })) {
        if ((keys as string[]).length > 0) await redis.del(...(keys as string[]));
      }
      redis.disconnect();
    },
  };
}
