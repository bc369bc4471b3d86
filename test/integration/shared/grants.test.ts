import { newId } from '@sallyport/shared/ids';
import { PROCESSES } from '@sallyport/shared/processes';
import { QUEUE_NAMES, QUEUE_ROLES } from '@sallyport/shared/queue/contracts';
import { ARTIFACT_KINDS } from '@sallyport/shared/artifacts/kinds';
import { GITHUB_REQUESTS } from '@sallyport/shared/task/github-requests';
import { TIMELINE_KINDS } from '@sallyport/shared/timeline/kinds';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FORBIDDEN_DECISIONS } from './forbidden-decisions.ts';
import { FORBIDDEN_WORK } from './forbidden-work.ts';
import { artifact, ask, enqueue, event, REFUSED } from './grants-statements.ts';
import { attempt, createGrantsWorld, type GrantsWorld } from './grants-world.ts';

let w: GrantsWorld;
beforeAll(async () => {
  w = await createGrantsWorld();
});
afterAll(() => w.deployment.close());

it.each([...FORBIDDEN_DECISIONS, ...FORBIDDEN_WORK])(
  'refuses that %s',
  async (_, [by, statement], outcome, [twin, allowed]) => {
    expect(await attempt(w, by, statement(w))).toBe(outcome);
    expect(await attempt(w, twin, allowed(w))).toBe('done');
  },
);

describe('the closed lists', () => {
  /** Tries every pair of process and entry; those that were let through. */
  async function allowed(
    entries: readonly string[],
    statement: (entry: string) => string,
  ): Promise<string[]> {
    const found: string[] = [];
    for (const process of PROCESSES) {
      for (const entry of entries) {
        const outcome = await attempt(w, process, statement(entry));
        if (outcome !== REFUSED)
          found.push(`${process} ${entry}${outcome === 'done' ? '' : `: ${outcome}`}`);
      }
    }
    return found.toSorted();
  }

  it('of queues: only its producers put messages for a queue into their outbox', async () => {
    expect(await allowed(QUEUE_NAMES, enqueue)).toEqual(
      QUEUE_NAMES.flatMap((q) => QUEUE_ROLES[q].producers.map((p) => `${p} ${q}`)).toSorted(),
    );
  });

  it('of questions: only its askers ask each kind', async () => {
    expect(await allowed(Object.keys(GITHUB_REQUESTS), (kind) => ask(w, kind))).toEqual(
      Object.entries(GITHUB_REQUESTS)
        .flatMap(([kind, { askedBy }]) => askedBy.map((p) => `${p} ${kind}`))
        .toSorted(),
    );
  });

  it('of artifacts: only its writer makes each kind', async () => {
    expect(await allowed(Object.keys(ARTIFACT_KINDS), (kind) => artifact(w, kind))).toEqual(
      Object.entries(ARTIFACT_KINDS)
        .map(([kind, { writer }]) => `${writer} ${kind}`)
        .toSorted(),
    );
  });

  it('of events: only its tellers append each kind, and of halts none does by hand', async () => {
    expect(await allowed(Object.keys(TIMELINE_KINDS), (kind) => event(w, kind))).toEqual(
      Object.entries(TIMELINE_KINDS)
        .filter(([kind]) => !['halt_set', 'halt_lifted'].includes(kind))
        .flatMap(([kind, by]) => by.map((p) => `${p} ${kind}`))
        .toSorted(),
    );
  });
});

describe('every process', () => {
  it('is refused what nobody may, and granted what all may', async () => {
    const { id } = w.deployment;
    for (const process of PROCESSES) {
      for (const statement of [
        'select rolpassword from pg_authid',
        'select passwd from pg_shadow',
        `select pg_read_file('/etc/passwd')`,
        `copy halt to program 'true'`,
        `create table ${id}.mine (x int)`,
        'create table public.mine (x int)',
        `create function ${id}.mine() returns int language sql as 'select 1'`,
        `create schema mine`,
        `create role mine`,
        `alter table ${id}.task disable row level security`,
        `set role ${id}_owner`,
        `set session authorization ${id}_owner`,
        'delete from task',
        'delete from timeline',
        'delete from ticket',
        'delete from delivery',
        'delete from presence',
        'truncate outbox',
        'update halt set reason = reason',
        `select timeline_write('${newId()}', 'task_assessed', '{}')`,
        `insert into db_role values ('me', 'publisher')`,
        `insert into queue_producer values ('publish', 'intake')`,
      ]) {
        expect([process, statement, await attempt(w, process, statement)]).toEqual([
          process,
          statement,
          REFUSED,
        ]);
      }
      expect(await attempt(w, process, 'select * from queue_producer')).toBe('done');
      expect(await attempt(w, process, 'select session_process()')).toBe('done');
    }
  });

  it("cannot lead a function of the owner's rights astray by a temporary table of the same name", async () => {
    const gate = await w.deployment.pool('gate').connect();
    try {
      await gate.query('begin');
      await gate.query('set local search_path to pg_temp');
      for (const statement of [
        'create temp table db_role (role_name text, process text)',
        `insert into pg_temp.db_role values (session_user, 'publisher')`,
        'create temp table timeline_kind (kind text, process text)',
        `insert into pg_temp.timeline_kind values ('published', 'gate'), ('published', 'publisher')`,
        'create temp table task_transition (from_state text, to_state text, process text)',
        `insert into pg_temp.task_transition values ('judging', 'published', 'gate')`,
      ])
        await gate.query(statement);
      const { id } = w.deployment;
      const { rows } = await gate.query(`select ${id}.session_process() as process`);
      expect(rows).toEqual([{ process: 'gate' }]);
      for (const act of [
        `select ${id}.timeline_append('${w.one.taskId}', 'published', '{}')`,
        `select ${id}.task_move('${w.one.taskId}', 'judging', 'published')`,
      ]) {
        await gate.query('savepoint before');
        await expect(gate.query(act)).rejects.toMatchObject({ code: REFUSED });
        await gate.query('rollback to before');
      }
      const appended = await gate.query(
        `select ${id}.timeline_append('${w.one.taskId}', 'task_assessed', '{}')`,
      );
      expect(appended.rowCount).toBe(1);
    } finally {
      await gate.query('rollback');
      gate.release();
    }
  });

  it('finds every function with a fixed path, temporary tables last, and an owner without rights elsewhere', async () => {
    const { rows } = await w.deployment.admin.query<{
      name: string;
      config: string[] | null;
      owner: string;
    }>(
      `select p.proname as name, p.proconfig as config, r.rolname as owner
       from pg_proc p join pg_roles r on r.oid = p.proowner where p.pronamespace = current_schema()::regnamespace`,
    );
    expect(rows.length).toBeGreaterThan(10);
    for (const row of rows) {
      expect(row).toEqual({
        name: row.name,
        config: [`search_path=${w.deployment.id}, pg_temp`],
        owner: `${w.deployment.id}_owner`,
      });
    }
    const owner = await w.deployment.admin.query(
      'select rolsuper, rolcanlogin, rolcreaterole, rolcreatedb, rolbypassrls from pg_roles where rolname = $1',
      [`${w.deployment.id}_owner`],
    );
    expect(Object.values(owner.rows[0] ?? {})).toEqual([false, false, false, false, false]);
  });
});
