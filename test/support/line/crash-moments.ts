/**
 * What a task must be like to come by each crash point, and who dies there. Every point of the list has its row: a new one
 * without a row does not compile.
 */
import type { ServiceName } from '@sallyport/cli/local/process-table';
import type { CrashPoint } from '@sallyport/shared/crash-points';
import type { ScriptedAction } from '../agent/script.ts';
import { SAMPLE_FIX } from './sample-project.ts';

export interface CrashMoment {
  readonly dies: ServiceName;
  /** How the task ends all the same: published, refused by the gate, or rejected by the publisher. */
  readonly ends: 'published' | 'refused' | 'rejected';
  readonly script?: readonly ScriptedAction[];
  /** A start commit that nobody has in a cache. */
  readonly freshBase?: true;
  /** Among the tests that always run; the others are in the long suite. */
  readonly always?: true;
}

const NO_CHANGE = [{ do: 'handOff', outcome: 'done', summary: 'nothing to do' }] as const;
const TALKS_AND_WORKS_ON = [
  {
    do: 'run',
    command: 'setsid sleep 300 >/dev/null 2>&1 & sleep 300 >/dev/null 2>&1 &',
    as: 'left',
  },
  { do: 'print', text: 'at work\n' },
  { do: 'sleep', ms: 1_500 },
  ...SAMPLE_FIX,
] as const;

export const CRASH_MOMENTS: Readonly<Record<CrashPoint, CrashMoment>> = {
  'intake:storing_not_committed': { dies: 'intake', ends: 'published' },
  'intake:committed_not_answered': { dies: 'intake', ends: 'published', always: true },
  'forwarder:claimed_not_added': { dies: 'intake', ends: 'published' },
  'forwarder:added_not_marked': { dies: 'intake', ends: 'published' },
  'gate:task_not_committed': { dies: 'gate', ends: 'published' },
  'gate:task_made': { dies: 'gate', ends: 'published' },
  'gate:asked_not_forwarded': { dies: 'gate', ends: 'published' },
  'publisher:token_not_recorded': { dies: 'publisher', ends: 'published' },
  'publisher:asked_github_not_answered': { dies: 'publisher', ends: 'published' },
  'publisher:request_answered': { dies: 'publisher', ends: 'published' },
  'gate:refused_not_forwarded': { dies: 'gate', ends: 'refused' },
  'publisher:refusal_told_not_answered': { dies: 'publisher', ends: 'refused' },
  'gate:admitting_not_committed': { dies: 'gate', ends: 'published' },
  'gate:admitted_not_forwarded': { dies: 'gate', ends: 'published', always: true },
  'launcher:claimed_not_started': { dies: 'worker-launcher', ends: 'published' },
  'launcher:run_started': { dies: 'worker-launcher', ends: 'published' },
  'launcher:source_asked': { dies: 'worker-launcher', ends: 'published' },
  'publisher:source_fetched_not_stored': { dies: 'publisher', ends: 'published' },
  'launcher:source_answered': { dies: 'worker-launcher', ends: 'published' },
  'launcher:source_half_read': {
    dies: 'worker-launcher',
    ends: 'published',
    freshBase: true,
    always: true,
  },
  'launcher:step_started': { dies: 'worker-launcher', ends: 'published' },
  'launcher:sandbox_runs': {
    dies: 'worker-launcher',
    ends: 'published',
    script: TALKS_AND_WORKS_ON,
  },
  'launcher:step_ended_tree_not_committed': {
    dies: 'worker-launcher',
    ends: 'published',
    always: true,
  },
  'launcher:step_committed': { dies: 'worker-launcher', ends: 'published' },
  'launcher:bundle_stored_not_queued': { dies: 'worker-launcher', ends: 'published', always: true },
  'launcher:collected_not_forwarded': { dies: 'worker-launcher', ends: 'published' },
  'publisher:judging_begun': { dies: 'publisher', ends: 'published' },
  'publisher:import_asked': { dies: 'publisher', ends: 'published' },
  'importer:child_reads_source': { dies: 'importer', ends: 'published', freshBase: true },
  'importer:child_reads_bundle': { dies: 'importer', ends: 'published' },
  'importer:imported_not_stored': { dies: 'importer', ends: 'published' },
  'importer:import_stored': { dies: 'importer', ends: 'published' },
  'publisher:verdict_committed': { dies: 'publisher', ends: 'published' },
  'publisher:before_push': { dies: 'publisher', ends: 'published' },
  'publisher:pushed_not_recorded': { dies: 'publisher', ends: 'published', always: true },
  'publisher:push_recorded': { dies: 'publisher', ends: 'published' },
  'publisher:before_pull': { dies: 'publisher', ends: 'published' },
  'publisher:pull_created_reply_lost': { dies: 'publisher', ends: 'published', always: true },
  'publisher:pull_recorded': { dies: 'publisher', ends: 'published' },
  'publisher:commented_not_recorded': { dies: 'publisher', ends: 'published' },
  'publisher:comment_recorded': { dies: 'publisher', ends: 'published' },
  'publisher:published': { dies: 'publisher', ends: 'published' },
  'publisher:stop_told_not_settled': { dies: 'publisher', ends: 'rejected', script: NO_CHANGE },
};
