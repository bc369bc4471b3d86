/** Forbidden acts of the work itself: runs, steps, artifacts, presence, records, publications. */
import {
  type Pair,
  REFUSED,
  beat,
  canary,
  chunk,
  event,
  record,
  step,
} from './grants-statements.ts';

export const FORBIDDEN_WORK: readonly Pair[] = [
  [
    'the launcher tells what is in a bundle',
    [
      'worker-launcher',
      (w) =>
        `insert into bundle_import (run_id, bundle_artifact_id, ok) values ('${w.one.runId}', '${w.bundle}', true)`,
    ],
    REFUSED,
    [
      'importer',
      (w) =>
        `insert into bundle_import (run_id, bundle_artifact_id, ok) values ('${w.one.runId}', '${w.bundle}', true)`,
    ],
  ],
  [
    'the launcher records a result for a run that nobody has leased',
    ['worker-launcher', (w) => record(w.other.runId, w.otherBundle)],
    REFUSED,
    ['worker-launcher', (w) => record(w.one.runId, w.bundle)],
  ],
  [
    'the launcher gives a run the bundle of another task',
    ['worker-launcher', (w) => record(w.one.runId, w.otherBundle)],
    REFUSED,
    ['worker-launcher', (w) => record(w.one.runId, w.bundle)],
  ],
  [
    'the launcher begins a step under an older fencing number',
    ['worker-launcher', (w) => step(w.one.runId, 0)],
    REFUSED,
    ['worker-launcher', (w) => step(w.one.runId, 1)],
  ],
  [
    'the launcher begins a step of a run that nobody has leased',
    ['worker-launcher', (w) => step(w.other.runId, 1)],
    REFUSED,
    ['worker-launcher', (w) => step(w.one.runId, 1)],
  ],
  [
    'the gate finishes a step',
    ['gate', (w) => `update step set state = 'finished' where id = '${w.step}'`],
    REFUSED,
    ['worker-launcher', (w) => `update step set state = 'finished' where id = '${w.step}'`],
  ],
  [
    'the launcher changes a finished artifact',
    ['worker-launcher', (w) => `update artifact set size = 0 where id = '${w.bundle}'`],
    'nothing',
    ['worker-launcher', (w) => `update artifact set size = 0 where id = '${w.unfinished}'`],
  ],
  [
    'the launcher deletes a finished artifact',
    ['worker-launcher', (w) => `delete from artifact where id = '${w.bundle}'`],
    'nothing',
    ['worker-launcher', (w) => `delete from artifact where id = '${w.unfinished}'`],
  ],
  [
    'the launcher adds to a finished artifact',
    ['worker-launcher', (w) => chunk(w.bundle, 1)],
    REFUSED,
    ['worker-launcher', (w) => chunk(w.unfinished, 1)],
  ],
  [
    'the launcher writes beyond the cap of the kind',
    ['worker-launcher', (w) => chunk(w.unfinished, 64)],
    REFUSED,
    ['worker-launcher', (w) => chunk(w.unfinished, 63)],
  ],
  [
    'the importer reads a bundle that is not finished',
    ['importer', (w) => `select 1 from artifact where id = '${w.unfinished}'`],
    'nothing',
    ['importer', (w) => `select 1 from artifact where id = '${w.bundle}'`],
  ],
  [
    'the publisher reads a bundle',
    ['publisher', (w) => `select 1 from artifact where id = '${w.bundle}'`],
    'nothing',
    ['importer', (w) => `select 1 from artifact where id = '${w.bundle}'`],
  ],
  [
    "the gate beats for the publisher's instance",
    ['gate', (w) => beat(w, 'publisher')],
    'nothing',
    ['gate', (w) => beat(w, 'gate')],
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
      (w) =>
        `insert into timeline values ('${w.one.taskId}', 1, now(), 'gate', 'task_approved', '{}', '', '')`,
    ],
    REFUSED,
    ['worker-launcher', (w) => event(w, 'step_started')],
  ],
  [
    'the publisher claims the lease of a run',
    ['publisher', (w) => `select lease_claim('${w.other.runId}', 'x', 5)`],
    REFUSED,
    ['worker-launcher', (w) => `select lease_claim('${w.other.runId}', 'x', 5)`],
  ],
  [
    'the publisher turns a publication into that of another task',
    ['publisher', (w) => `update publication set task_id = '${w.other.taskId}'`],
    REFUSED,
    [
      'publisher',
      (w) =>
        `insert into publication (task_id, run_id, kind, base_ref, base_sha, repository_id, trigger_id) values ('${w.one.taskId}', '${w.one.runId}', 'pull_request', 'main', 'x', 22, 44)`,
    ],
  ],
  [
    'the console reads what the sandboxes were baited with',
    ['console', () => 'select value from canary'],
    REFUSED,
    ['publisher', () => 'select count(*) from canary'],
  ],
  [
    'the importer reads what the sandboxes were baited with',
    ['importer', () => 'select value from canary'],
    REFUSED,
    ['worker-launcher', () => 'select count(*) from canary'],
  ],
  [
    'the launcher plants a canary in a step that nobody has leased',
    ['worker-launcher', (w) => canary(w.one.runId)],
    REFUSED,
    ['worker-launcher', (w) => canary(w.step)],
  ],
  [
    'the launcher exchanges a canary',
    ['worker-launcher', () => `update canary set value = 'ghs_another_that_nobody_planted'`],
    REFUSED,
    ['worker-launcher', (w) => canary(w.step)],
  ],
];
