/** The servers that the integration suite runs against: reachable by the URLs given, and as strict as the real ones. */
import { Redis } from 'ioredis';
import pg from 'pg';
import { expect, inject, it } from 'vitest';

it('gives the tests a PostgreSQL server that asks for a password', async () => {
  const url = new URL(inject('adminDatabaseUrl'));
  const client = new pg.Client({ connectionString: url.href });
  await client.connect();
  const answer = await client.query('select current_setting($1) as encoding', ['server_encoding']);
  await client.end();
  expect(answer.rows).toEqual([{ encoding: 'UTF8' }]);

  url.password = 'wrong';
  const refused = new pg.Client({ connectionString: url.href });
  await expect(refused.connect()).rejects.toMatchObject({ code: '28P01' });
});

it('gives the tests a Redis server that evicts nothing and asks for a password', async () => {
  const redis = new Redis(inject('redisUrl'));
  expect(await redis.config('GET', 'maxmemory-policy')).toEqual(['maxmemory-policy', 'noeviction']);
  await redis.quit();

  const url = new URL(inject('redisUrl'));
  url.password = 'wrong';
  const refused = new Redis(url.href, { lazyConnect: true, retryStrategy: () => null });
  refused.on('error', () => undefined);
  await expect(refused.connect().then(() => refused.ping())).rejects.toThrow(
    /WRONGPASS|NOAUTH|closed/,
  );
  refused.disconnect();
});
