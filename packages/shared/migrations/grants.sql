-- The privilege matrix: what each process may do to each table, and nothing else. {{…}} stands for the database role of
-- that process in this deployment. Applied after every migration; everything not granted here is revoked first.

grant usage on schema {{schema}} to {{intake}}, {{gate}}, {{worker-launcher}}, {{publisher}}, {{importer}}, {{console}}, {{operator}};

-- Everybody: reads the halt and the registries, forwards its own outbox rows, reports its own presence.
grant select on halt, schema_migration, db_role, queue_producer, github_request_kind, timeline_kind, artifact_kind,
  task_transition, run_transition
  to {{intake}}, {{gate}}, {{worker-launcher}}, {{publisher}}, {{importer}}, {{console}}, {{operator}};
grant select, update (next_at, attempts, sent_at), delete on outbox
  to {{intake}}, {{gate}}, {{worker-launcher}}, {{publisher}}, {{importer}};
grant insert (queue, data) on outbox to {{intake}}, {{gate}}, {{worker-launcher}}, {{publisher}}, {{importer}};
grant select on presence to {{intake}}, {{gate}}, {{worker-launcher}}, {{publisher}}, {{importer}}, {{console}}, {{operator}};
grant insert (instance, host), update (beat_at, halt_version, stopped_at) on presence
  to {{intake}}, {{gate}}, {{worker-launcher}}, {{publisher}}, {{importer}}, {{console}};
grant execute on function session_process() to {{intake}}, {{gate}}, {{worker-launcher}}, {{publisher}}, {{importer}}, {{console}}, {{operator}};

-- intake: stores deliveries. It reads back only what it needs to recognise a repeated one.
grant insert (id, target_type, target_id, guid, event, content_type, headers, body, body_sha256) on delivery to {{intake}};
grant select (id, target_type, target_id, guid, state, received_at) on delivery to {{intake}};

-- gate: turns deliveries into tasks, asks, decides, signs.
grant select, update (state, state_reason, handled_at) on delivery to {{gate}};
grant select, insert, update (account, state, updated_at) on installation to {{gate}};
grant select, insert, update (installation_id, owner, name, updated_at) on repository to {{gate}};
grant select, insert (id, delivery_id, source_key, installation_id, repository_id, subject_kind, subject_number, verb,
  act, team, requester_id, requester_login, comment_id), update (branch, state_reason) on task to {{gate}};
grant select on lease to {{gate}};
grant select, insert on snapshot, assessment, approval, team_version, policy_version, reservation to {{gate}};
grant select, insert (id, task_id, number) on run to {{gate}};
grant select, insert, update (revoked_at, revoked_reason) on ticket to {{gate}};
grant select, insert (id, kind, task_id, installation_id, repository_id, params, ask_key) on github_request to {{gate}};
grant select, update (settled_at) on reservation to {{gate}};
grant select, update (performed_at, result) on operator_act to {{gate}};
grant select on timeline, verdict, publication, step, usage to {{gate}};

-- worker-launcher: runs what a ticket permits; asks for the source alone.
grant select on task, run, ticket, snapshot, team_version, step, lease to {{worker-launcher}};
grant insert (id, kind, task_id, installation_id, repository_id, params, ask_key, ticket_jti), select on github_request
  to {{worker-launcher}};
grant update (source_request_id, source_artifact_id, bundle_artifact_id, head_oid, tree_oid) on run to {{worker-launcher}};
grant insert, update (state, tree, commit_oid, pack_artifact_id, transcript_artifact_id, hand_off, exit, ended_at) on step
  to {{worker-launcher}};
-- What a step's sandbox was baited with is for the two who look for it; whoever shows steps to people must not show it.
grant select, insert (step_id, value), update (seen_in) on canary to {{worker-launcher}};
grant execute on function lease_claim(uuid, text, integer), lease_renew(uuid, bigint, integer),
  lease_release(uuid, bigint), lease_held(uuid, bigint) to {{worker-launcher}};

-- publisher: confirms, judges, publishes; answers what others ask GitHub.
grant select on task, run, ticket, snapshot, assessment, approval, policy_version, step, bundle_import, installation,
  repository to {{publisher}};
grant select on canary to {{publisher}};
grant select, update (state, answer, artifact_id, attempts, answered_at) on github_request to {{publisher}};
grant insert, select on verdict to {{publisher}};
grant insert on approval to {{publisher}};
grant select, insert (task_id, run_id, kind, branch, base_ref, base_sha, tree_oid, repository_id, trigger_id),
  update (run_id, tree_oid, head_sha, pushed_at, pull_number, pull_url, opened_at, comment_id, commented_at)
  on publication to {{publisher}};
grant select, update (performed_at, result) on operator_act to {{publisher}};
grant select, update (state, updated_at) on installation to {{publisher}};
grant execute on function privileged_append(text, uuid, jsonb) to {{publisher}};

-- importer: reads the bundle and the source of a run, writes what it found.
grant select (id, task_id, number, state, source_request_id, source_artifact_id, bundle_artifact_id, head_oid, tree_oid) on run to {{importer}};
grant select on ticket, bundle_import to {{importer}};
grant insert on bundle_import to {{importer}};

-- artifacts: rows are guarded by kind.
grant select, insert (id, kind, task_id), update (sha256, size, expires_at), delete on artifact
  to {{worker-launcher}}, {{publisher}}, {{importer}};
grant select, insert on artifact_chunk to {{worker-launcher}}, {{publisher}}, {{importer}};
grant select on artifact, artifact_chunk to {{console}}, {{operator}};

-- moves and the timeline: the functions themselves know who asks.
grant execute on function task_move(uuid, text, text, text) to {{gate}}, {{worker-launcher}}, {{publisher}};
grant execute on function run_move(uuid, text, text, text, bigint) to {{gate}}, {{worker-launcher}}, {{publisher}};
grant execute on function timeline_append(uuid, text, jsonb) to {{gate}}, {{worker-launcher}}, {{publisher}};
grant execute on function timeline_verify(uuid) to {{console}}, {{operator}};
grant execute on function chain_hash(text, bigint, timestamptz, text, text, jsonb) to {{console}}, {{operator}};

-- console and operator: look at everything but bodies and secrets; flip the halt; ask for acts. They move no task.
grant select on installation, repository, task, snapshot, assessment, approval, run, step, lease, usage, reservation,
  github_request, verdict, publication, bundle_import, operator_act, timeline, privileged_act, team_version,
  policy_version, outbox to {{console}}, {{operator}};
grant select (id, target_type, target_id, guid, event, content_type, body_sha256, state, state_reason, received_at,
  handled_at) on delivery to {{console}}, {{operator}};
grant select (jti, task_id, run_id, kid, issued_at, expires_at, revoked_at, revoked_reason) on ticket
  to {{console}}, {{operator}};
grant insert (id, kind, task_id, data, requested_by) on operator_act to {{console}}, {{operator}};
grant execute on function halt_set(text, text, text, text) to {{console}}, {{operator}}, {{gate}}, {{publisher}};
grant execute on function halt_lift(text, text) to {{console}}, {{operator}};
