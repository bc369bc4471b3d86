/**
 * Every moment at which a test can kill a process for good: before and after each effect that the outside can see, and
 * around each commit on which somebody else goes on. One list, so that a test can prove that each stands in the code once
 * and is died at.
 */

/** `<process>:<moment>`, in the order in which a task meets them; a forwarder is part of every process. */
export const CRASH_POINTS = [
  'intake:storing_not_committed',
  'intake:committed_not_answered',
  'forwarder:claimed_not_added',
  'forwarder:added_not_marked',
  'gate:task_not_committed',
  'gate:task_made',
  'gate:asked_not_forwarded',
  'publisher:token_not_recorded',
  'publisher:asked_github_not_answered',
  'publisher:request_answered',
  'gate:refused_not_forwarded',
  'publisher:refusal_told_not_answered',
  'gate:admitting_not_committed',
  'gate:admitted_not_forwarded',
  'launcher:claimed_not_started',
  'launcher:run_started',
  'launcher:source_asked',
  'publisher:source_fetched_not_stored',
  'launcher:source_answered',
  'launcher:source_half_read',
  'launcher:step_started',
  'launcher:sandbox_runs',
  'launcher:step_ended_tree_not_committed',
  'launcher:step_committed',
  'launcher:bundle_stored_not_queued',
  'launcher:collected_not_forwarded',
  'publisher:judging_begun',
  'publisher:import_asked',
  'importer:child_reads_source',
  'importer:child_reads_bundle',
  'importer:imported_not_stored',
  'importer:import_stored',
  'publisher:verdict_committed',
  'publisher:before_push',
  'publisher:pushed_not_recorded',
  'publisher:push_recorded',
  'publisher:before_pull',
  'publisher:pull_created_reply_lost',
  'publisher:pull_recorded',
  'publisher:commented_not_recorded',
  'publisher:comment_recorded',
  'publisher:published',
  'publisher:stop_told_not_settled',
] as const;
export type CrashPoint = (typeof CRASH_POINTS)[number];
