/** Forbidden acts of the way to a decision: deliveries, tickets, questions, halts, approvals, findings. */
import { newId } from '@sallyport/shared/ids';
import { type Pair, REFUSED, approve, ask, event, ticket } from './grants-statements.ts';
import { insertDelivery } from './grants-world.ts';

export const FORBIDDEN_DECISIONS: readonly Pair[] = [
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
  [
    'the publisher issues a ticket',
    ['publisher', (w) => ticket(w)],
    REFUSED,
    ['gate', (w) => ticket(w)],
  ],
  [
    'the launcher issues a ticket',
    ['worker-launcher', (w) => ticket(w)],
    REFUSED,
    ['gate', (w) => ticket(w)],
  ],
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
    ['worker-launcher', (w) => ask(w, 'permission')],
    REFUSED,
    ['gate', (w) => ask(w, 'permission')],
  ],
  [
    "the launcher asks for the source of a repository that is not its task's",
    ['worker-launcher', (w) => ask(w, 'source', 23)],
    REFUSED,
    ['worker-launcher', (w) => ask(w, 'source')],
  ],
  [
    'the gate asks about a repository that is not that of its task',
    ['gate', (w) => ask(w, 'subject', 23)],
    REFUSED,
    ['gate', (w) => ask(w, 'subject')],
  ],
  [
    'the gate answers its own question',
    ['gate', () => `update github_request set state = 'answered', answer = '{}'`],
    REFUSED,
    ['publisher', () => `update github_request set state = 'answered', answer = '{}'`],
  ],
  [
    "the launcher reads the gate's question",
    ['worker-launcher', (w) => `select 1 from github_request where id = '${w.question}'`],
    'nothing',
    ['gate', (w) => `select 1 from github_request where id = '${w.question}'`],
  ],
  [
    'the importer reads what was asked of GitHub',
    ['importer', () => 'select 1 from github_request'],
    REFUSED,
    ['importer', () => 'select 1 from ticket'],
  ],
  [
    'the console moves a task',
    ['console', (w) => `select task_move('${w.one.taskId}', 'admitted', 'cancelled')`],
    REFUSED,
    ['gate', (w) => `select task_move('${w.one.taskId}', 'admitted', 'cancelled')`],
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
    ['publisher', (w) => event(w, 'halt_set')],
    REFUSED,
    ['publisher', () => `select halt_set('all', 'drain', 'x', 'y')`],
  ],
  [
    'the launcher asks for an act of an operator',
    [
      'worker-launcher',
      (w) =>
        `insert into operator_act (id, kind, task_id, requested_by) values ('${newId()}', 'approve', '${w.one.taskId}', 'x')`,
    ],
    REFUSED,
    [
      'console',
      (w) =>
        `insert into operator_act (id, kind, task_id, requested_by) values ('${newId()}', 'approve', '${w.one.taskId}', 'x')`,
    ],
  ],
  [
    'the gate approves the leaving',
    ['gate', (w) => approve(w, 'publish')],
    REFUSED,
    ['gate', (w) => approve(w, 'run')],
  ],
  [
    'the publisher approves the running',
    ['publisher', (w) => approve(w, 'run')],
    REFUSED,
    ['publisher', (w) => approve(w, 'publish')],
  ],
  [
    'the publisher writes an assessment',
    [
      'publisher',
      (w) =>
        `insert into assessment (id, task_id, decision, reasons) values ('${newId()}', '${w.one.taskId}', 'admit', '[]')`,
    ],
    REFUSED,
    [
      'gate',
      (w) =>
        `insert into assessment (id, task_id, decision, reasons) values ('${newId()}', '${w.one.taskId}', 'admit', '[]')`,
    ],
  ],
  [
    'the gate gives a verdict',
    [
      'gate',
      (w) =>
        `insert into verdict (id, run_id, decision, reasons, policy_hash) values ('${newId()}', '${w.one.runId}', 'publish', '[]', 'x')`,
    ],
    REFUSED,
    [
      'publisher',
      (w) =>
        `insert into verdict (id, run_id, decision, reasons, policy_hash) values ('${newId()}', '${w.one.runId}', 'publish', '[]', 'x')`,
    ],
  ],
];
