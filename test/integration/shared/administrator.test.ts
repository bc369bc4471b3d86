/** Who sets a deployment up: an administrator with few rights of his own, on a server with a history. */
import { randomBytes } from 'node:crypto';
import { dropDeployment, provision, urlFor } from '@sallyport/shared/db/provision';
import pg from 'pg';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';

const id = `t_${randomBytes(6).toString('hex')}`;
const superuserUrl = inject('adminDatabaseUrl');
const administrator = `${id}_administrator`;
let superuser: pg.Client;
let adminUrl: string;

beforeAll(async () => {
  superuser = new pg.Client({ connectionString: superuserUrl });
  await superuser.connect();
  await superuser.query(`create database ${id}`);
  await superuser.query(`create role ${administrator} login createrole password 'secret'`);
  await superuser.query(`grant create on database ${id} to ${administrator}`);
  adminUrl = urlFor(inDatabase(superuserUrl), administrator, 'secret');
});
afterAll(async () => {
  await dropDeployment(inDatabase(superuserUrl), id);
  await superuser.query(`drop database ${id} with (force)`);
  await superuser.query(`drop role ${administrator}`);
  await superuser.end();
});

function inDatabase(url: string): string {
  const changed = new URL(url);
  changed.pathname = `/${id}`;
  return changed.toString();
}

async function tries(url: string, statement: string): Promise<string> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(`set search_path to ${id}, pg_temp`);
    await client.query(statement);
    return 'done';
  } catch (error) {
    return (error as pg.DatabaseError).code ?? 'unknown';
  } finally {
    await client.end();
  }
}

it('may be no superuser, and do it again', async () => {
  const first = await provision({ adminUrl, deployment: id });
  const second = await provision({ adminUrl, deployment: id });
  expect(second.gate).not.toBe(first.gate);
  expect(await tries(second.gate, 'select count(*) from task')).toBe('done');
  expect(await tries(second.intake, 'select count(*) from task')).toBe('42501');
});

it('without the right to make roles is told how to get it', async () => {
  await superuser.query(`alter role ${administrator} nocreaterole`);
  await expect(provision({ adminUrl, deployment: id })).rejects.toMatchObject({
    code: 'bad_config',
    message: expect.stringContaining('createrole') as string,
  });
  await superuser.query(`alter role ${administrator} createrole`);
  await expect(provision({ adminUrl, deployment: id })).resolves.toBeDefined();
});

it.each([
  ['bypasses row security', 'alter role ROLE bypassrls', 'alter role ROLE nobypassrls'],
  ['is a superuser', 'alter role ROLE superuser', 'alter role ROLE nosuperuser'],
  ['can act as the owner', `grant ${id}_owner to ROLE`, `revoke ${id}_owner from ROLE`],
])('refuses a role of a process that %s', async (_, give, take) => {
  const role = `${id}_gate`;
  await superuser.query(give.replace('ROLE', role));
  await expect(
    provision({ adminUrl: inDatabase(superuserUrl), deployment: id }),
  ).rejects.toMatchObject({
    code: 'bad_config',
    message: expect.stringContaining(role) as string,
  });
  await superuser.query(take.replace('ROLE', role));
  await expect(provision({ adminUrl, deployment: id })).resolves.toBeDefined();
});

it('leaves temporary tables alone in a shared database, and takes them away in one of our own', async () => {
  const shared = await provision({ adminUrl: inDatabase(superuserUrl), deployment: id });
  expect(await tries(shared.gate, 'create temp table x (y int)')).toBe('done');
  const own = await provision({
    adminUrl: inDatabase(superuserUrl),
    deployment: id,
    exclusive: true,
  });
  expect(await tries(own.gate, 'create temp table x (y int)')).toBe('42501');
  expect(await tries(own.gate, 'select count(*) from task')).toBe('done');
});
