/** Embedded servers end with whoever started them, however that ends, and do not meet each other. */
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startEmbeddedPostgres } from '@sallyport/cli/local/embedded-postgres';
import { startEmbeddedRedis } from '@sallyport/cli/local/embedded-redis';
import { isRoot, requireReach } from '@sallyport/cli/local/os-account';
import { createTemporaryDirectory, type TemporaryDirectory } from '@sallyport/cli/local/temporary';
import { Redis } from 'ioredis';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  descendantsOf,
  startProgram,
  survivors,
  type Program,
} from '../../support/local/processes.ts';

const PROGRAM = join(import.meta.dirname, '../../support/local/run-servers.ts');

let temporary: TemporaryDirectory;
beforeEach(() => {
  temporary = createTemporaryDirectory();
});
afterEach(() => {
  temporary.remove();
});

async function query(url: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query({ text: sql, rowMode: 'array' })).rows.flat();
  } finally {
    await client.end();
  }
}

function postgresIn(directory: string, durability: 'kept' | 'lost_on_crash' = 'lost_on_crash') {
  const dataDir = join(directory, 'pg-data');
  return startEmbeddedPostgres({ dataDir, temporaryDir: directory, password: 'a/b@c', durability });
}

function announcedPids(program: Program): number[] {
  return program.announced['pids'] as number[];
}

describe('embedded PostgreSQL', () => {
  it('keeps its data over a restart, also after its process was killed', async () => {
    const first = await postgresIn(temporary.path, 'kept');
    await query(first.url, 'create table kept as select 1 as n');
    await first.stop();
    const second = await postgresIn(temporary.path, 'kept');
    await query(second.url, 'insert into kept values (2)');
    process.kill(second.pid, 'SIGKILL');
    await second.ended;
    const third = await postgresIn(temporary.path, 'kept');
    expect(await query(third.url, 'select n from kept order by n')).toEqual([1, 2]);
    await third.stop();
  });

  it('listens on its socket alone, and never runs as root', async () => {
    const server = await postgresIn(temporary.path);
    expect(await query(server.url, "select current_setting('listen_addresses')")).toEqual(['']);
    expect(statSync(`/proc/${server.pid}`).uid).toBe(
      isRoot() ? statSync(join(temporary.path, 'pg-data')).uid : process.getuid?.(),
    );
    expect(statSync(`/proc/${server.pid}`).uid).not.toBe(0);
    await server.stop();
  });

  it('writes through to the disk unless told otherwise', async () => {
    const settings = ['fsync', 'synchronous_commit', 'full_page_writes'];
    const sql = `select ${settings.map((name) => `current_setting('${name}')`).join()}`;
    const fast = await postgresIn(temporary.path);
    expect(await query(fast.url, sql)).toEqual(['off', 'off', 'off']);
    await fast.stop();
    const safe = await postgresIn(temporary.path, 'kept');
    expect(await query(safe.url, sql)).toEqual(['on', 'on', 'on']);
    await safe.stop();
  });

  it('says what the server said when it cannot start', async () => {
    const server = await postgresIn(temporary.path);
    await expect(postgresIn(temporary.path)).rejects.toThrow(
      /lock file "postmaster.pid" already exists/,
    );
    await server.stop();
  });
});

describe('embedded Redis', () => {
  it('keeps its data on disk when asked to, for the owner of the password alone', async () => {
    const options = {
      dataDir: join(temporary.path, 'redis-data'),
      temporaryDir: temporary.path,
      password: 'p/q',
      durability: 'kept',
    } as const;
    const first = await startEmbeddedRedis(options);
    const writer = new Redis(first.url);
    await writer.set('kept', 'yes');
    await writer.quit();
    await first.stop();
    const second = await startEmbeddedRedis(options);
    const reader = new Redis(second.url);
    expect(await reader.get('kept')).toBe('yes');
    await reader.quit();
    await second.stop();
    expect(readFileSync(`${temporary.path}/redis/redis.conf`, 'utf8')).not.toContain(
      options.password,
    );
  });

  it('takes its users from a file that only its starter can read', async () => {
    const aclFile = join(temporary.path, 'users.acl');
    writeFileSync(aclFile, 'user default on >p ~* &* +@all\nuser reader on >r ~own:* +get\n', {
      mode: 0o600,
    });
    const dataDir = join(temporary.path, 'redis-data');
    const server = await startEmbeddedRedis({
      dataDir,
      temporaryDir: temporary.path,
      password: 'p',
      durability: 'lost_on_crash',
      aclFile,
    });
    const url = new URL(server.url);
    url.username = 'reader';
    url.password = 'r';
    const reader = new Redis(url.href, { enableReadyCheck: false });
    expect(await reader.get('own:x')).toBeNull();
    await expect(reader.get('other:x')).rejects.toThrow(/NOPERM/);
    await reader.quit();
    await server.stop();
  });

  it('says what the server said when it cannot start', async () => {
    writeFileSync(join(temporary.path, 'users.acl'), 'user default on +nonsense\n');
    const start = startEmbeddedRedis({
      dataDir: join(temporary.path, 'redis-data'),
      temporaryDir: temporary.path,
      password: 'p',
      durability: 'kept',
      aclFile: join(temporary.path, 'users.acl'),
    });
    await expect(start).rejects.toThrow(/it ended at once[^]*nonsense/);
  });
});

describe('an account that cannot reach its data', () => {
  it('is refused with the variable that mends it, and one that can is not', () => {
    const closed = join(temporary.path, 'closed');
    mkdirSync(closed, { mode: 0o700 });
    const stranger = { name: 'nobody', uid: 65_534, gid: 65_534 };
    expect(() => requireReach(stranger, closed)).toThrow(
      expect.objectContaining({
        code: 'unavailable',
        message: expect.stringContaining('SALLYPORT_STATE_DIR'),
      }),
    );
    requireReach(
      { name: 'owner', uid: process.getuid?.() ?? -1, gid: process.getgid?.() ?? -1 },
      closed,
    );
  });
});

describe('the servers of a program', () => {
  it('are gone with their directory after Ctrl-C', async () => {
    const program = await startProgram(PROGRAM);
    const pids = [...announcedPids(program), ...descendantsOf(program.child.pid ?? 0)];
    program.child.kill('SIGINT');
    expect(await program.ended).toBe('SIGINT');
    expect(await survivors(pids, 5_000)).toEqual([]);
    expect(existsSync(String(program.announced['directory']))).toBe(false);
  });

  it('do not outlive it when it is killed, and the next start removes the directory', async () => {
    const program = await startProgram(PROGRAM);
    const pids = descendantsOf(program.child.pid ?? 0);
    expect(pids).toEqual(expect.arrayContaining(announcedPids(program)));
    expect(pids.length).toBeGreaterThan(4);
    program.child.kill('SIGKILL');
    await program.ended;
    expect(await survivors(pids, 5_000)).toEqual([]);
    const directory = String(program.announced['directory']);
    createTemporaryDirectory().remove();
    expect(existsSync(directory)).toBe(false);
  });

  it('do not notice the end of another program with servers', async () => {
    const [one, two] = await Promise.all([startProgram(PROGRAM), startProgram(PROGRAM)]);
    one.child.kill('SIGKILL');
    await one.ended;
    createTemporaryDirectory().remove();
    const pids = announcedPids(two);
    expect(await survivors(pids, 500)).toEqual(pids);
    expect(existsSync(String(two.announced['directory']))).toBe(true);
    two.child.kill('SIGTERM');
    await two.ended;
    expect(await survivors(pids, 5_000)).toEqual([]);
  });
});
