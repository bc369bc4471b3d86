import { newId } from '@sallyport/shared/ids';
import { PROCESSES, type Process } from '@sallyport/shared/processes';
import { QUEUE_NAMES, QUEUE_ROLES } from '@sallyport/shared/queue/contracts';
import { ARTIFACT_KINDS } from '@sallyport/shared/artifacts/kinds';
import { GITHUB_REQUESTS } from '@sallyport/shared/task/github-requests';
import { TIMELINE_KINDS } from '@sallyport/shared/timeline/kinds';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { attempt, createGrantsWorld, insertDelivery, type GrantsWorld } from './grants-world.ts';

let w: GrantsWorld;
beforeAll(async () => {
  w = await createGrantsWorld();
});
afterAll(() => w.deployment.close());

const REFUSED = '42501';
type Act = [by: Process, statement: () => string];

function enqueue(queue: string): string {
  return `insert into outbox (queue, data) values ('${queue}', '{"v": 1}')`;
}
function ask(kind: string, repositoryId = 22): string {
  return `insert into github_request (id, kind, task_id, installation_id, repository_id, params, ask_key)
    values ('${newId()}', '${kind}', '${w.one.taskId}', 11, ${repositoryId}, '{}', '${newId()}')`;
}
function ticket(): string {
  return `insert into ticket (jti, task_id, run_id, kid, token, expires_at)
    values ('${newId()}', '${w.one.taskId}', '${w.one.runId}', 'k', 't', now())`;
}
function artifact(kind: string): string {
  return `insert into artifact (id, kind, task_id) values ('${newId()}', '${kind}', '${w.one.taskId}')`;
}
function event(kind: string): string {
  return `select timeline_append('${w.one.taskId}', '${kind}', '{}')`;
}
function chunk(artifactId: string, seq = 0): string {
  return `insert into artifact_chunk (artifact_id, seq, data) values ('${artifactId}', ${seq}, 'x')`;
}
function step(runId: string, fence: number): string {
  return `insert into step (id, run_id, fence, node, visit, attempt, read_only, enforced_by, base_tree)
    values ('${newId()}', '${runId}', ${fence}, 'other', 1, 1, false, 'x', 'x')`;
}
function record(runId: string, bundle: string): string {
  return `update run set bundle_artifact_id = '${bundle}' where id = '${runId}'`;
}
function approve(stage: 'run' | 'publish'): string {
  return `insert into approval (id, task_id, stage, approved_by, reason)
    values ('${newId()}', '${w.one.taskId}', '${stage}', 'ada', 'good')`;
}
function beat(process: Process): string {
  return `update presence set beat_at = now() where instance = '${w.instances.get(process)}'`;
}

/** What is refused; beside it what differs in one thing and is allowed. `nothing` where rows are simply not there. */
const PAIRS: [name: string, refused: Act, outcome: string, allowed: Act][] = [
  [
    'intake reads the body of a delivery',
    ['intake', () => 'select body from delivery'],
    REFUSED,
    ['intake', () => 'select guid from delivery'],
  ],
  [
    'the console reads the body of a delivery',
    ['console', () => 'select body from delivery'],
    REFUSED,
    ['console', () => 'select body_sha256 from delivery'],
  ],
  ['the gate stores a delivery', ['gate', insertDelivery], REFUSED, ['intake', insertDelivery]],
  [
    'intake settles a delivery',
    ['intake', () => `update delivery set state = 'handled'`],
    REFUSED,
    ['gate', () => `update delivery set state = 'handled'`],
  ],
  ['the publisher issues a ticket', ['publisher', ticket], REFUSED, ['gate', ticket]],
  ['the launcher issues a ticket', ['worker-launcher', ticket], REFUSED, ['gate', ticket]],
  [
    'the gate rewrites a ticket',
    ['gate', () => `update ticket set token = 'x'`],
    REFUSED,
    ['gate', () => `update ticket set revoked_at = now()`],
  ],
  [
    'the console reads the token of a ticket',
    ['console', () => 'select token from ticket'],
    REFUSED,
    ['console', () => 'select jti from ticket'],
  ],
  [
    'the launcher asks for a permission',
    ['worker-launcher', () => ask('permission')],
    REFUSED,
    ['gate', () => ask('permission')],
  ],
  [
    "the launcher asks for the source of a repository that is not its task's",
    ['worker-launcher', () => ask('source', 23)],
    REFUSED,
    ['worker-launcher', () => ask('source')],
  ],
  [
    'the gate asks about a repository that is not that of its task',
    ['gate', () => ask('subject', 23)],
    REFUSED,
    ['gate', () => ask('subject')],
  ],
  [
    'the gate answers its own question',
    ['gate', () => `update github_request set state = 'answered', answer = '{}'`],
    REFUSED,
    ['publisher', () => `update github_request set state = 'answered', answer = '{}'`],
  ],
  [
    "the launcher reads the gate's question",
    ['worker-launcher', () => `select 1 from github_request where id = '${w.question}'`],
    'nothing',
    ['gate', () => `select 1 from github_request where id = '${w.question}'`],
  ],
  [
    'the importer reads what was asked of GitHub',
    ['importer', () => 'select 1 from github_request'],
    REFUSED,
    ['importer', () => 'select 1 from ticket'],
  ],
  [
    'the console moves a task',
    ['console', () => `select task_move('${w.one.taskId}', 'admitted', 'cancelled')`],
    REFUSED,
    ['gate', () => `select task_move('${w.one.taskId}', 'admitted', 'cancelled')`],
  ],
  [
    'the gate halts by hand',
    [
      'gate',
      () => `insert into halt (scope, level, reason, set_by) values ('all', 'drain', 'x', 'y')`,
    ],
    REFUSED,
    ['gate', () => `select halt_set('all', 'drain', 'x', 'y')`],
  ],
  [
    'the launcher sets a halt',
    ['worker-launcher', () => `select halt_set('all', 'drain', 'x', 'y')`],
    REFUSED,
    ['console', () => `select halt_set('all', 'drain', 'x', 'y')`],
  ],
  [
    'the gate lifts a halt',
    ['gate', () => `select halt_lift('all', 'y')`],
    REFUSED,
    ['operator', () => `select halt_lift('all', 'y')`],
  ],
  [
    'the console changes a halt by hand',
    ['console', () => 'update halt set lifted_at = now()'],
    REFUSED,
    ['console', () => `select halt_lift('all', 'y')`],
  ],
  [
    'the publisher tells of a halt that nobody set',
    ['publisher', () => event('halt_set')],
    REFUSED,
    ['publisher', () => `select halt_set('all', 'drain', 'x', 'y')`],
  ],
  [
    'the launcher asks for an act of an operator',
    [
      'worker-launcher',
      () =>
        `insert into operator_act (id, kind, task_id, requested_by) values ('${newId()}', 'approve', '${w.one.taskId}', 'x')`,
    ],
    REFUSED,
    [
      'console',
      () =>
        `insert into operator_act (id, kind, task_id, requested_by) values ('${newId()}', 'approve', '${w.one.taskId}', 'x')`,
    ],
  ],
  [
    'the gate approves the leaving',
    ['gate', () => approve('publish')],
    REFUSED,
    ['gate', () => approve('run')],
  ],
  [
    'the publisher approves the running',
    ['publisher', () => approve('run')],
    REFUSED,
    ['publisher', () => approve('publish')],
  ],
  [
    'the publisher writes an assessment',
    [
      'publisher',
      () =>
        `insert into assessment (id, task_id, decision, reasons) values ('${newId()}', '${w.one.taskId}', 'admit', '[]')`,
    ],
    REFUSED,
    [
      'gate',
      () =>
        `insert into assessment (id, task_id, decision, reasons) values ('${newId()}', '${w.one.taskId}', 'admit', '[]')`,
    ],
  ],
  [
    'the gate gives a verdict',
    [
      'gate',
      () =>
        `insert into verdict (id, run_id, decision, reasons, policy_hash) values ('${newId()}', '${w.one.runId}', 'publish', '[]', 'x')`,
    ],
    REFUSED,
    [
      'publisher',
      () =>
        `insert into verdict (id, run_id, decision, reasons, policy_hash) values ('${newId()}', '${w.one.runId}', 'publish', '[]', 'x')`,
    ],
  ],
  [
    'the launcher tells what is in a bundle',
    [
      'worker-launcher',
      () =>
        `insert into bundle_import (run_id, bundle_artifact_id, ok) values ('${w.one.runId}', '${w.bundle}', true)`,
    ],
    REFUSED,
    [
      'importer',
      () =>
        `insert into bundle_import (run_id, bundle_artifact_id, ok) values ('${w.one.runId}', '${w.bundle}', true)`,
    ],
  ],
  [
    'the launcher records a result for a run that nobody has leased',
    ['worker-launcher', () => record(w.other.runId, w.otherBundle)],
    REFUSED,
    ['worker-launcher', () => record(w.one.runId, w.bundle)],
  ],
  [
    'the launcher gives a run the bundle of another task',
    ['worker-launcher', () => record(w.one.runId, w.otherBundle)],
    REFUSED,
    ['worker-launcher', () => record(w.one.runId, w.bundle)],
  ],
  [
    'the launcher begins a step under an older fencing number',
    ['worker-launcher', () => step(w.one.runId, 0)],
    REFUSED,
    ['worker-launcher', () => step(w.one.runId, 1)],
  ],
  [
    'the launcher begins a step of a run that nobody has leased',
    ['worker-launcher', () => step(w.other.runId, 1)],
    REFUSED,
    ['worker-launcher', () => step(w.one.runId, 1)],
  ],
  [
    'the gate finishes a step',
    ['gate', () => `update step set state = 'finished' where id = '${w.step}'`],
    REFUSED,
    ['worker-launcher', () => `update step set state = 'finished' where id = '${w.step}'`],
  ],
  [
    'the launcher changes a finished artifact',
    ['worker-launcher', () => `update artifact set size = 0 where id = '${w.bundle}'`],
    'nothing',
    ['worker-launcher', () => `update artifact set size = 0 where id = '${w.unfinished}'`],
  ],
  [
    'the launcher deletes a finished artifact',
    ['worker-launcher', () => `delete from artifact where id = '${w.bundle}'`],
    'nothing',
    ['worker-launcher', () => `delete from artifact where id = '${w.unfinished}'`],
  ],
  [
    'the launcher adds to a finished artifact',
    ['worker-launcher', () => chunk(w.bundle, 1)],
    REFUSED,
    ['worker-launcher', () => chunk(w.unfinished, 1)],
  ],
  [
    'the launcher writes beyond the cap of the kind',
    ['worker-launcher', () => chunk(w.unfinished, 64)],
    REFUSED,
    ['worker-launcher', () => chunk(w.unfinished, 63)],
  ],
  [
    'the importer reads a bundle that is not finished',
    ['importer', () => `select 1 from artifact where id = '${w.unfinished}'`],
    'nothing',
    ['importer', () => `select 1 from artifact where id = '${w.bundle}'`],
  ],
  [
    'the publisher reads a bundle',
    ['publisher', () => `select 1 from artifact where id = '${w.bundle}'`],
    'nothing',
    ['importer', () => `select 1 from artifact where id = '${w.bundle}'`],
  ],
  [
    "the gate beats for the publisher's instance",
    ['gate', () => beat('publisher')],
    'nothing',
    ['gate', () => beat('gate')],
  ],
  [
    'intake sees who else is there',
    ['intake', () => `select 1 from presence where process = 'gate'`],
    'nothing',
    ['console', () => `select 1 from presence where process = 'gate'`],
  ],
  [
    'the gate writes into the list of privileged acts',
    ['gate', () => `select privileged_append('token_minted', null, '{}')`],
    REFUSED,
    ['publisher', () => `select privileged_append('token_minted', null, '{}')`],
  ],
  [
    'the launcher writes an event past its function',
    [
      'worker-launcher',
      () =>
        `insert into timeline values ('${w.one.taskId}', 1, now(), 'gate', 'task_approved', '{}', '', '')`,
    ],
    REFUSED,
    ['worker-launcher', () => event('step_started')],
  ],
  [
    'the publisher claims the lease of a run',
    ['publisher', () => `select lease_claim('${w.other.runId}', 'x', 5)`],
    REFUSED,
    ['worker-launcher', () => `select lease_claim('${w.other.runId}', 'x', 5)`],
  ],
  [
    'the publisher turns a publication into that of another task',
    ['publisher', () => `update publication set task_id = '${w.other.taskId}'`],
    REFUSED,
    [
      'publisher',
      () =>
        `insert into publication (task_id, run_id, kind, base_ref, base_sha) values ('${w.one.taskId}', '${w.one.runId}', 'pull_request', 'main', 'x')`,
    ],
  ],
];

it.each(PAIRS)('refuses that %s', async (_, [by, statement], outcome, [twin, allowed]) => {
  expect(await attempt(w, by, statement())).toBe(outcome);
  expect(await attempt(w, twin, allowed())).toBe('done');
});

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
        if (outcome === 'done') found.push(`${process} ${entry}`);
        else expect(outcome).toBe(REFUSED);
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
    expect(await allowed(Object.keys(GITHUB_REQUESTS), ask)).toEqual(
      Object.entries(GITHUB_REQUESTS)
        .flatMap(([kind, { askedBy }]) => askedBy.map((p) => `${p} ${kind}`))
        .toSorted(),
    );
  });

  it('of artifacts: only its writer makes each kind', async () => {
    expect(await allowed(Object.keys(ARTIFACT_KINDS), artifact)).toEqual(
      Object.entries(ARTIFACT_KINDS)
        .map(([kind, { writer }]) => `${writer} ${kind}`)
        .toSorted(),
    );
  });

  it('of events: only its tellers append each kind, and of halts none does by hand', async () => {
    expect(await allowed(Object.keys(TIMELINE_KINDS), event)).toEqual(
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
        'set session authorization postgres',
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
        const outcome = await attempt(w, process, statement);
        expect([process, statement, outcome]).toEqual([
          process,
          statement,
          // A superuser of that name need not exist.
          statement.startsWith('set session') ? expect.stringMatching(/42501|22023/) : REFUSED,
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
