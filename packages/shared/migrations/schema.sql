table approval (row security)
  id uuid not null
  task_id uuid not null
  stage text not null
  approved_by text not null
  reason text not null
  approved_at timestamp with time zone not null default now()
  approval_pkey PRIMARY KEY (id)
  approval_stage_check CHECK ((stage = ANY (ARRAY['run'::text, 'publish'::text])))
  approval_task_id_fkey FOREIGN KEY (task_id) REFERENCES task(id)

table artifact (row security)
  id uuid not null
  kind text not null
  process text not null default session_process()
  task_id uuid
  sha256 text
  size bigint
  created_at timestamp with time zone not null default now()
  expires_at timestamp with time zone
  artifact_kind_fkey FOREIGN KEY (kind) REFERENCES artifact_kind(kind)
  artifact_pkey PRIMARY KEY (id)
  artifact_sha256_check CHECK ((sha256 ~ '^[0-9a-f]{64}$'::text))
  artifact_task_id_fkey FOREIGN KEY (task_id) REFERENCES task(id)

table artifact_chunk (row security)
  artifact_id uuid not null
  seq integer not null
  data bytea not null
  artifact_chunk_artifact_id_fkey FOREIGN KEY (artifact_id) REFERENCES artifact(id) ON DELETE CASCADE
  artifact_chunk_data_check CHECK ((length(data) <= 1048576))
  artifact_chunk_pkey PRIMARY KEY (artifact_id, seq)

table artifact_kind
  kind text not null
  writer text not null
  readers text[] not null
  max_bytes bigint not null
  artifact_kind_pkey PRIMARY KEY (kind)

table assessment
  id uuid not null
  task_id uuid not null
  decision text not null
  reasons jsonb not null
  assessed_at timestamp with time zone not null default now()
  assessment_decision_check CHECK ((decision = ANY (ARRAY['admit'::text, 'hold'::text, 'refuse'::text])))
  assessment_pkey PRIMARY KEY (id)
  assessment_task_id_fkey FOREIGN KEY (task_id) REFERENCES task(id)

table bundle_import
  run_id uuid not null
  bundle_artifact_id uuid not null
  ok boolean not null
  reason text
  message text
  facts_artifact_id uuid
  pack_artifact_id uuid
  imported_at timestamp with time zone not null default now()
  bundle_import_pkey PRIMARY KEY (run_id)
  bundle_import_run_id_fkey FOREIGN KEY (run_id) REFERENCES run(id)

table canary (row security)
  step_id uuid not null
  value text not null
  seen_in text[] not null default '{}'::text[]
  canary_pkey PRIMARY KEY (step_id)
  canary_seen_in_check CHECK ((seen_in <@ ARRAY['hand_off'::text, 'path'::text, 'patch'::text]))
  canary_step_id_fkey FOREIGN KEY (step_id) REFERENCES step(id)
  canary_value_check CHECK ((length(value) >= 20))
  canary_value_key UNIQUE (value)

table db_role
  role_name text not null
  process text not null
  db_role_pkey PRIMARY KEY (role_name)

table delivery
  id uuid not null
  target_type text not null
  target_id text not null
  guid text not null
  event text not null
  content_type text not null
  headers jsonb not null
  body bytea not null
  body_sha256 text not null
  state text not null default 'stored'::text
  state_reason text
  received_at timestamp with time zone not null default now()
  handled_at timestamp with time zone
  delivery_body_sha256_check CHECK ((body_sha256 ~ '^[0-9a-f]{64}$'::text))
  delivery_content_type_check CHECK ((content_type = ANY (ARRAY['json'::text, 'form'::text])))
  delivery_event_check CHECK ((event ~ '^[a-z][a-z0-9_]{0,63}$'::text))
  delivery_guid_check CHECK (((length(guid) >= 1) AND (length(guid) <= 64)))
  delivery_pkey PRIMARY KEY (id)
  delivery_state_check CHECK ((state = ANY (ARRAY['stored'::text, 'handled'::text, 'not_for_us'::text, 'unusable'::text])))
  delivery_target_id_check CHECK ((length(target_id) <= 32))
  delivery_target_type_check CHECK ((length(target_type) <= 64))
  delivery_target_type_target_id_guid_key UNIQUE (target_type, target_id, guid)

table github_request (row security)
  id uuid not null
  process text not null default session_process()
  kind text not null
  task_id uuid not null
  installation_id bigint not null
  repository_id bigint not null
  params jsonb not null
  ask_key text not null
  ticket_jti uuid
  state text not null default 'asked'::text
  answer jsonb
  artifact_id uuid
  attempts integer not null default 0
  asked_at timestamp with time zone not null default now()
  answered_at timestamp with time zone
  github_request_pkey PRIMARY KEY (id)
  github_request_state_check CHECK ((state = ANY (ARRAY['asked'::text, 'answered'::text, 'unknown'::text])))
  github_request_task_id_ask_key_key UNIQUE (task_id, ask_key)
  github_request_task_id_fkey FOREIGN KEY (task_id) REFERENCES task(id)

table github_request_kind
  kind text not null
  process text not null
  github_request_kind_pkey PRIMARY KEY (kind, process)

table halt
  id bigint not null
  scope text not null
  level text not null
  reason text not null
  set_by text not null
  set_at timestamp with time zone not null default now()
  version bigint not null default nextval('halt_version'::regclass)
  lifted_at timestamp with time zone
  lifted_by text
  halt_level_check CHECK ((level = ANY (ARRAY['drain'::text, 'stop'::text])))
  halt_pkey PRIMARY KEY (id)
  halt_reason_check CHECK (((length(reason) >= 1) AND (length(reason) <= 1000)))
  halt_scope_check CHECK (((scope = 'all'::text) OR (scope ~ '^repo:[0-9]+$'::text)))

table installation
  id bigint not null
  account text
  state text not null default 'active'::text
  updated_at timestamp with time zone not null default now()
  installation_pkey PRIMARY KEY (id)
  installation_state_check CHECK ((state = ANY (ARRAY['active'::text, 'suspended'::text, 'deleted'::text])))

table lease
  run_id uuid not null
  holder text not null
  fence bigint not null
  expires_at timestamp with time zone not null
  lease_pkey PRIMARY KEY (run_id)
  lease_run_id_fkey FOREIGN KEY (run_id) REFERENCES run(id)

table operator_act
  id uuid not null
  kind text not null
  task_id uuid not null
  data jsonb not null default '{}'::jsonb
  requested_by text not null
  requested_at timestamp with time zone not null default now()
  performed_at timestamp with time zone
  result text
  operator_act_kind_check CHECK ((kind = ANY (ARRAY['approve'::text, 'cancel'::text, 'retry'::text, 'publish_draft'::text])))
  operator_act_pkey PRIMARY KEY (id)
  operator_act_task_id_fkey FOREIGN KEY (task_id) REFERENCES task(id)

table outbox (row security)
  id bigint not null
  process text not null default session_process()
  queue text not null
  data jsonb not null
  created_at timestamp with time zone not null default now()
  next_at timestamp with time zone not null default now()
  attempts integer not null default 0
  sent_at timestamp with time zone
  outbox_pkey PRIMARY KEY (id)

table policy_version
  hash text not null
  content jsonb not null
  created_at timestamp with time zone not null default now()
  policy_version_pkey PRIMARY KEY (hash)

table presence (row security)
  instance uuid not null
  process text not null default session_process()
  host text not null
  started_at timestamp with time zone not null default now()
  beat_at timestamp with time zone not null default now()
  halt_version bigint not null default 0
  stopped_at timestamp with time zone
  presence_pkey PRIMARY KEY (instance)

table privileged_act
  seq bigint not null
  at timestamp with time zone not null
  process text not null
  kind text not null
  task_id uuid
  data jsonb not null
  prev_hash text not null
  hash text not null
  privileged_act_pkey PRIMARY KEY (seq)

table publication
  task_id uuid not null
  run_id uuid not null
  kind text not null
  branch text
  base_ref text not null
  base_sha text not null
  repository_id bigint not null
  trigger_id bigint not null
  head_sha text
  tree_oid text
  pull_number integer
  pull_url text
  comment_id bigint
  pushed_at timestamp with time zone
  opened_at timestamp with time zone
  commented_at timestamp with time zone
  publication_kind_check CHECK ((kind = ANY (ARRAY['pull_request'::text, 'update'::text, 'review'::text, 'comment'::text])))
  publication_pkey PRIMARY KEY (task_id)
  publication_run_id_fkey FOREIGN KEY (run_id) REFERENCES run(id)
  publication_task_id_fkey FOREIGN KEY (task_id) REFERENCES task(id)

table queue_producer
  queue text not null
  process text not null
  queue_producer_pkey PRIMARY KEY (queue, process)

table repository
  id bigint not null
  installation_id bigint not null
  owner text not null
  name text not null
  updated_at timestamp with time zone not null default now()
  repository_installation_id_fkey FOREIGN KEY (installation_id) REFERENCES installation(id)
  repository_pkey PRIMARY KEY (id)

table reservation
  id uuid not null
  task_id uuid not null
  kind text not null
  amount bigint not null
  reserved_at timestamp with time zone not null default now()
  settled_at timestamp with time zone
  reservation_amount_check CHECK ((amount >= 0))
  reservation_kind_check CHECK ((kind = ANY (ARRAY['tokens'::text, 'cost_microusd'::text, 'steps'::text, 'tasks'::text])))
  reservation_pkey PRIMARY KEY (id)
  reservation_task_id_fkey FOREIGN KEY (task_id) REFERENCES task(id)

table run (row security)
  id uuid not null
  task_id uuid not null
  number integer not null
  state text not null default 'pending'::text
  state_reason text
  source_request_id uuid
  source_artifact_id uuid
  bundle_artifact_id uuid
  head_oid text
  tree_oid text
  created_at timestamp with time zone not null default now()
  moved_at timestamp with time zone not null default now()
  run_pkey PRIMARY KEY (id)
  run_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'running'::text, 'suspended'::text, 'collected'::text, 'failed'::text, 'cancelled'::text])))
  run_task_id_fkey FOREIGN KEY (task_id) REFERENCES task(id)
  run_task_id_number_key UNIQUE (task_id, number)

table run_transition
  from_state text not null
  to_state text not null
  process text not null
  run_transition_pkey PRIMARY KEY (from_state, to_state, process)

table schema_migration
  version integer not null
  name text not null
  sha256 text not null
  applied_at timestamp with time zone not null default now()
  schema_migration_pkey PRIMARY KEY (version)

table snapshot
  task_id uuid not null
  content bytea not null
  sha256 text not null
  taken_at timestamp with time zone not null default now()
  snapshot_pkey PRIMARY KEY (task_id)
  snapshot_sha256_check CHECK ((sha256 ~ '^[0-9a-f]{64}$'::text))
  snapshot_task_id_fkey FOREIGN KEY (task_id) REFERENCES task(id)

table step (row security)
  id uuid not null
  run_id uuid not null
  fence bigint not null
  node text not null
  visit integer not null
  attempt integer not null
  read_only boolean not null
  enforced_by text not null
  policy_hash text
  state text not null default 'started'::text
  base_tree text not null
  tree text
  commit_oid text
  pack_artifact_id uuid
  transcript_artifact_id uuid
  hand_off jsonb
  exit jsonb
  started_at timestamp with time zone not null default now()
  ended_at timestamp with time zone
  step_pkey PRIMARY KEY (id)
  step_run_id_fkey FOREIGN KEY (run_id) REFERENCES run(id)
  step_run_id_node_visit_attempt_key UNIQUE (run_id, node, visit, attempt)
  step_state_check CHECK ((state = ANY (ARRAY['started'::text, 'finished'::text, 'failed'::text])))

table step_grant
  id uuid not null
  step_id uuid not null
  jti uuid not null
  opened_at timestamp with time zone not null default now()
  closed_at timestamp with time zone
  step_grant_jti_fkey FOREIGN KEY (jti) REFERENCES ticket(jti)
  step_grant_pkey PRIMARY KEY (id)
  step_grant_step_id_fkey FOREIGN KEY (step_id) REFERENCES step(id)

table task
  id uuid not null
  delivery_id uuid not null
  source_key text not null
  installation_id bigint not null
  repository_id bigint not null
  subject_kind text not null
  subject_number integer not null
  verb text not null
  act text not null
  team text not null
  requester_id bigint not null
  requester_login text not null
  comment_id bigint
  branch text
  state text not null default 'received'::text
  state_reason text
  created_at timestamp with time zone not null default now()
  moved_at timestamp with time zone not null default now()
  task_act_check CHECK ((act = ANY (ARRAY['pull_request'::text, 'update'::text, 'review'::text, 'comment'::text])))
  task_branch_key UNIQUE (branch)
  task_delivery_id_fkey FOREIGN KEY (delivery_id) REFERENCES delivery(id)
  task_pkey PRIMARY KEY (id)
  task_repository_id_fkey FOREIGN KEY (repository_id) REFERENCES repository(id)
  task_source_key_key UNIQUE (source_key)
  task_state_check CHECK ((state = ANY (ARRAY['received'::text, 'assessing'::text, 'refused'::text, 'awaiting_approval'::text, 'admitted'::text, 'running'::text, 'collected'::text, 'judging'::text, 'held'::text, 'rejected'::text, 'published'::text, 'answered'::text, 'cancelled'::text, 'expired'::text, 'failed'::text])))
  task_subject_kind_check CHECK ((subject_kind = ANY (ARRAY['issue'::text, 'pull_request'::text])))

table task_transition
  from_state text not null
  to_state text not null
  process text not null
  task_transition_pkey PRIMARY KEY (from_state, to_state, process)

table team_version
  hash text not null
  name text not null
  content jsonb not null
  created_at timestamp with time zone not null default now()
  team_version_pkey PRIMARY KEY (hash)

table ticket
  jti uuid not null
  task_id uuid not null
  run_id uuid not null
  kid text not null
  token text not null
  issued_at timestamp with time zone not null default now()
  expires_at timestamp with time zone not null
  revoked_at timestamp with time zone
  revoked_reason text
  ticket_pkey PRIMARY KEY (jti)
  ticket_run_id_fkey FOREIGN KEY (run_id) REFERENCES run(id)
  ticket_task_id_fkey FOREIGN KEY (task_id) REFERENCES task(id)

table timeline
  subject uuid not null
  seq integer not null
  at timestamp with time zone not null
  process text not null
  kind text not null
  data jsonb not null
  prev_hash text not null
  hash text not null
  timeline_pkey PRIMARY KEY (subject, seq)

table timeline_kind
  kind text not null
  process text not null
  timeline_kind_pkey PRIMARY KEY (kind, process)

table usage
  id bigint not null
  task_id uuid not null
  step_id uuid
  provider text not null
  model text not null
  tokens_in bigint not null default 0
  tokens_out bigint not null default 0
  cost_microusd bigint not null default 0
  used_at timestamp with time zone not null default now()
  usage_pkey PRIMARY KEY (id)
  usage_step_id_fkey FOREIGN KEY (step_id) REFERENCES step(id)
  usage_task_id_fkey FOREIGN KEY (task_id) REFERENCES task(id)

table verdict
  id uuid not null
  run_id uuid not null
  decision text not null
  reasons jsonb not null
  policy_hash text not null
  tree_oid text
  given_at timestamp with time zone not null default now()
  verdict_decision_check CHECK ((decision = ANY (ARRAY['publish'::text, 'hold'::text, 'reject'::text])))
  verdict_pkey PRIMARY KEY (id)
  verdict_run_id_fkey FOREIGN KEY (run_id) REFERENCES run(id)
  verdict_run_id_key UNIQUE (run_id)

CREATE UNIQUE INDEX approval_pkey ON approval USING btree (id)

CREATE UNIQUE INDEX artifact_chunk_pkey ON artifact_chunk USING btree (artifact_id, seq)

CREATE UNIQUE INDEX artifact_content ON artifact USING btree (kind, task_id, sha256) WHERE (sha256 IS NOT NULL)

CREATE UNIQUE INDEX artifact_kind_pkey ON artifact_kind USING btree (kind)

CREATE UNIQUE INDEX artifact_pkey ON artifact USING btree (id)

CREATE UNIQUE INDEX assessment_pkey ON assessment USING btree (id)

CREATE INDEX assessment_task ON assessment USING btree (task_id)

CREATE UNIQUE INDEX bundle_import_pkey ON bundle_import USING btree (run_id)

CREATE UNIQUE INDEX canary_pkey ON canary USING btree (step_id)

CREATE UNIQUE INDEX canary_value_key ON canary USING btree (value)

CREATE UNIQUE INDEX db_role_pkey ON db_role USING btree (role_name)

CREATE INDEX delivery_body ON delivery USING btree (body_sha256)

CREATE UNIQUE INDEX delivery_pkey ON delivery USING btree (id)

CREATE UNIQUE INDEX delivery_target_type_target_id_guid_key ON delivery USING btree (target_type, target_id, guid)

CREATE INDEX delivery_unhandled ON delivery USING btree (received_at) WHERE (state = 'stored'::text)

CREATE UNIQUE INDEX github_request_kind_pkey ON github_request_kind USING btree (kind, process)

CREATE INDEX github_request_open ON github_request USING btree (asked_at) WHERE (state = 'asked'::text)

CREATE UNIQUE INDEX github_request_pkey ON github_request USING btree (id)

CREATE UNIQUE INDEX github_request_task_id_ask_key_key ON github_request USING btree (task_id, ask_key)

CREATE UNIQUE INDEX halt_active ON halt USING btree (scope) WHERE (lifted_at IS NULL)

CREATE UNIQUE INDEX halt_pkey ON halt USING btree (id)

CREATE UNIQUE INDEX installation_pkey ON installation USING btree (id)

CREATE UNIQUE INDEX lease_pkey ON lease USING btree (run_id)

CREATE INDEX operator_act_open ON operator_act USING btree (requested_at) WHERE (performed_at IS NULL)

CREATE UNIQUE INDEX operator_act_pkey ON operator_act USING btree (id)

CREATE INDEX outbox_due ON outbox USING btree (process, next_at) WHERE (sent_at IS NULL)

CREATE UNIQUE INDEX outbox_pkey ON outbox USING btree (id)

CREATE INDEX outbox_sent ON outbox USING btree (sent_at) WHERE (sent_at IS NOT NULL)

CREATE UNIQUE INDEX policy_version_pkey ON policy_version USING btree (hash)

CREATE UNIQUE INDEX presence_pkey ON presence USING btree (instance)

CREATE UNIQUE INDEX privileged_act_pkey ON privileged_act USING btree (seq)

CREATE UNIQUE INDEX publication_pkey ON publication USING btree (task_id)

CREATE UNIQUE INDEX publication_trigger ON publication USING btree (repository_id, trigger_id) WHERE (kind = 'pull_request'::text)

CREATE UNIQUE INDEX queue_producer_pkey ON queue_producer USING btree (queue, process)

CREATE UNIQUE INDEX repository_pkey ON repository USING btree (id)

CREATE UNIQUE INDEX reservation_pkey ON reservation USING btree (id)

CREATE UNIQUE INDEX run_pkey ON run USING btree (id)

CREATE INDEX run_state ON run USING btree (state, moved_at)

CREATE UNIQUE INDEX run_task_id_number_key ON run USING btree (task_id, number)

CREATE UNIQUE INDEX run_transition_pkey ON run_transition USING btree (from_state, to_state, process)

CREATE UNIQUE INDEX schema_migration_pkey ON schema_migration USING btree (version)

CREATE UNIQUE INDEX snapshot_pkey ON snapshot USING btree (task_id)

CREATE UNIQUE INDEX step_grant_pkey ON step_grant USING btree (id)

CREATE UNIQUE INDEX step_pkey ON step USING btree (id)

CREATE UNIQUE INDEX step_run_id_node_visit_attempt_key ON step USING btree (run_id, node, visit, attempt)

CREATE UNIQUE INDEX task_branch_key ON task USING btree (branch)

CREATE UNIQUE INDEX task_pkey ON task USING btree (id)

CREATE INDEX task_repository ON task USING btree (repository_id, created_at)

CREATE UNIQUE INDEX task_source_key_key ON task USING btree (source_key)

CREATE INDEX task_state ON task USING btree (state, moved_at)

CREATE UNIQUE INDEX task_transition_pkey ON task_transition USING btree (from_state, to_state, process)

CREATE UNIQUE INDEX team_version_pkey ON team_version USING btree (hash)

CREATE UNIQUE INDEX ticket_pkey ON ticket USING btree (jti)

CREATE INDEX ticket_run ON ticket USING btree (run_id)

CREATE UNIQUE INDEX timeline_kind_pkey ON timeline_kind USING btree (kind, process)

CREATE UNIQUE INDEX timeline_pkey ON timeline USING btree (subject, seq)

CREATE UNIQUE INDEX usage_pkey ON usage USING btree (id)

CREATE UNIQUE INDEX verdict_pkey ON verdict USING btree (id)

CREATE UNIQUE INDEX verdict_run_id_key ON verdict USING btree (run_id)

policy approval_give on approval for insert using (-) with check ((session_process() =
CASE stage
    WHEN 'run'::text THEN 'gate'::text
    ELSE 'publisher'::text
END))

policy approval_read on approval for select using (true) with check (-)

policy artifact_drop on artifact for delete using (((process = session_process()) AND ((sha256 IS NULL) OR (expires_at <= now())))) with check (-)

policy artifact_finish on artifact for update using (((process = session_process()) AND (sha256 IS NULL))) with check ((process = session_process()))

policy artifact_read on artifact for select using ((EXISTS ( SELECT 1
   FROM artifact_kind k
  WHERE ((k.kind = artifact.kind) AND ((k.writer = session_process()) OR ((artifact.sha256 IS NOT NULL) AND (session_process() = ANY (k.readers)))))))) with check (-)

policy artifact_write on artifact for insert using (-) with check (((process = session_process()) AND (EXISTS ( SELECT 1
   FROM artifact_kind k
  WHERE ((k.kind = artifact.kind) AND (k.writer = session_process()))))))

policy artifact_chunk_read on artifact_chunk for select using ((EXISTS ( SELECT 1
   FROM artifact a
  WHERE (a.id = artifact_chunk.artifact_id)))) with check (-)

policy artifact_chunk_write on artifact_chunk for insert using (-) with check ((EXISTS ( SELECT 1
   FROM (artifact a
     JOIN artifact_kind k ON ((k.kind = a.kind)))
  WHERE ((a.id = artifact_chunk.artifact_id) AND (a.process = session_process()) AND (a.sha256 IS NULL) AND ((artifact_chunk.seq >= 0) AND (artifact_chunk.seq <= ((k.max_bytes - 1) / 1048576)))))))

policy canary_plant on canary for insert using (-) with check ((EXISTS ( SELECT 1
   FROM (step s
     JOIN lease l ON (((l.run_id = s.run_id) AND (l.fence = s.fence))))
  WHERE ((s.id = canary.step_id) AND (s.state = 'started'::text) AND (l.expires_at > clock_timestamp())))))

policy canary_read on canary for select using (true) with check (-)

policy canary_see on canary for update using ((EXISTS ( SELECT 1
   FROM (step s
     JOIN lease l ON ((l.run_id = s.run_id)))
  WHERE ((s.id = canary.step_id) AND (l.expires_at > clock_timestamp()))))) with check ((cardinality(seen_in) > 0))

policy github_request_answer on github_request for update using ((session_process() = 'publisher'::text)) with check (-)

policy github_request_ask on github_request for insert using (-) with check (((process = session_process()) AND (state = 'asked'::text) AND (EXISTS ( SELECT 1
   FROM github_request_kind k
  WHERE ((k.kind = github_request.kind) AND (k.process = session_process())))) AND (EXISTS ( SELECT 1
   FROM task t
  WHERE ((t.id = github_request.task_id) AND (t.repository_id = github_request.repository_id) AND (t.installation_id = github_request.installation_id))))))

policy github_request_read on github_request for select using (((process = session_process()) OR (session_process() = ANY (ARRAY['publisher'::text, 'console'::text, 'operator'::text])))) with check (-)

policy outbox_own on outbox for all using ((process = session_process())) with check (((process = session_process()) AND (EXISTS ( SELECT 1
   FROM queue_producer p
  WHERE ((p.queue = outbox.queue) AND (p.process = session_process()))))))

policy outbox_watch on outbox for select using ((session_process() = ANY (ARRAY['console'::text, 'operator'::text]))) with check (-)

policy presence_own on presence for all using ((process = session_process())) with check ((process = session_process()))

policy presence_watch on presence for select using ((session_process() = ANY (ARRAY['console'::text, 'operator'::text]))) with check (-)

policy run_make on run for insert using (-) with check ((session_process() = 'gate'::text))

policy run_read on run for select using (true) with check (-)

policy run_record on run for update using (true) with check (((state = ANY (ARRAY['pending'::text, 'running'::text, 'suspended'::text])) AND (EXISTS ( SELECT 1
   FROM lease l
  WHERE ((l.run_id = run.id) AND (l.expires_at > clock_timestamp())))) AND ((bundle_artifact_id IS NULL) OR (EXISTS ( SELECT 1
   FROM artifact a
  WHERE ((a.id = run.bundle_artifact_id) AND (a.task_id = run.task_id) AND (a.kind = 'bundle'::text) AND (a.sha256 IS NOT NULL))))) AND ((source_artifact_id IS NULL) OR (EXISTS ( SELECT 1
   FROM artifact a
  WHERE ((a.id = run.source_artifact_id) AND (a.task_id = run.task_id) AND (a.kind = 'source_pack'::text)))))))

policy step_begin on step for insert using (-) with check ((EXISTS ( SELECT 1
   FROM lease l
  WHERE ((l.run_id = step.run_id) AND (l.fence = step.fence) AND (l.expires_at > clock_timestamp())))))

policy step_finish on step for update using (((state = 'started'::text) AND (EXISTS ( SELECT 1
   FROM lease l
  WHERE ((l.run_id = step.run_id) AND (l.expires_at > clock_timestamp())))))) with check (true)

policy step_read on step for select using (true) with check (-)

CREATE TRIGGER bundle_import_nudge AFTER INSERT ON bundle_import FOR EACH ROW EXECUTE FUNCTION notify_row('run_id')

CREATE TRIGGER github_answer_nudge AFTER UPDATE OF state ON github_request FOR EACH ROW WHEN ((new.state <> 'asked'::text)) EXECUTE FUNCTION notify_row('id')

CREATE TRIGGER halt_nudge AFTER INSERT OR UPDATE ON halt FOR EACH ROW EXECUTE FUNCTION notify_row('version')

CREATE TRIGGER operator_act_nudge AFTER INSERT ON operator_act FOR EACH ROW EXECUTE FUNCTION notify_row('id')

CREATE TRIGGER outbox_nudge AFTER INSERT ON outbox FOR EACH ROW EXECUTE FUNCTION notify_row('process')

CREATE TRIGGER privileged_act_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON privileged_act FOR EACH STATEMENT EXECUTE FUNCTION forbid_change()

CREATE TRIGGER timeline_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON timeline FOR EACH STATEMENT EXECUTE FUNCTION forbid_change()

CREATE TRIGGER timeline_nudge AFTER INSERT ON timeline FOR EACH ROW EXECUTE FUNCTION notify_row('subject')

CREATE OR REPLACE FUNCTION chain_hash(p_prev text, p_seq bigint, p_at timestamp with time zone, p_process text, p_kind text, p_data jsonb)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO 'SCHEMA', 'pg_temp'
AS $function$
  select encode(sha256(convert_to(
    p_prev || E'\n' || p_seq || E'\n' || (extract(epoch from p_at) * 1000000)::bigint || E'\n' || p_process || E'\n'
      || p_kind || E'\n' || p_data::text, 'UTF8')), 'hex')
$function$


CREATE OR REPLACE FUNCTION forbid_change()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'SCHEMA', 'pg_temp'
AS $function$
begin
  raise exception '% is append-only', tg_table_name using errcode = 'insufficient_privilege';
end $function$


CREATE OR REPLACE FUNCTION halt_lift(p_scope text, p_by text)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'SCHEMA', 'pg_temp'
AS $function$
begin
  update halt set lifted_at = now(), lifted_by = p_by, version = nextval('halt_version')
    where scope = p_scope and lifted_at is null;
  if not found then
    return false;
  end if;
  perform timeline_write('00000000-0000-0000-0000-000000000000', 'halt_lifted',
    jsonb_build_object('scope', p_scope, 'by', p_by));
  return true;
end $function$


CREATE OR REPLACE FUNCTION halt_set(p_scope text, p_level text, p_reason text, p_by text)
 RETURNS bigint
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'SCHEMA', 'pg_temp'
AS $function$
declare
  v_version bigint;
begin
  -- A drain never softens a stop: nothing lower overrides a halt.
  insert into halt as h (scope, level, reason, set_by)
    values (p_scope, p_level, p_reason, p_by)
    on conflict (scope) where lifted_at is null do update
      set level = case when h.level = 'stop' then 'stop' else excluded.level end,
          reason = excluded.reason, set_by = excluded.set_by, set_at = now(), version = nextval('halt_version')
    returning version into v_version;
  perform timeline_write('00000000-0000-0000-0000-000000000000', 'halt_set',
    jsonb_build_object('scope', p_scope, 'level', p_level, 'reason', p_reason, 'by', p_by));
  return v_version;
end $function$


CREATE OR REPLACE FUNCTION lease_claim(p_run uuid, p_holder text, p_seconds integer)
 RETURNS bigint
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'SCHEMA', 'pg_temp'
AS $function$
declare
  v_fence bigint;
begin
  if not exists (
    select 1 from run r join task t on t.id = r.task_id
    where r.id = p_run and r.state in ('pending', 'running', 'suspended') and t.state in ('admitted', 'running')
  ) then
    return null;
  end if;
  insert into lease as l (run_id, holder, fence, expires_at)
    values (p_run, p_holder, 1, lease_end(p_seconds))
    on conflict (run_id) do update
      set holder = excluded.holder, fence = l.fence + 1, expires_at = excluded.expires_at
      where l.expires_at <= clock_timestamp()
    returning fence into v_fence;
  return v_fence;
end $function$


CREATE OR REPLACE FUNCTION lease_end(p_seconds integer)
 RETURNS timestamp with time zone
 LANGUAGE sql
 SET search_path TO 'SCHEMA', 'pg_temp'
AS $function$ select clock_timestamp() + make_interval(secs => least(greatest(p_seconds, 1), 3600)) $function$


CREATE OR REPLACE FUNCTION lease_held(p_run uuid, p_fence bigint)
 RETURNS boolean
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'SCHEMA', 'pg_temp'
AS $function$
  select exists (
    select 1 from lease where run_id = p_run and fence = p_fence and expires_at > clock_timestamp() for update
  )
$function$


CREATE OR REPLACE FUNCTION lease_release(p_run uuid, p_fence bigint)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'SCHEMA', 'pg_temp'
AS $function$
begin
  update lease set expires_at = clock_timestamp() where run_id = p_run and fence = p_fence;
  return found;
end $function$


CREATE OR REPLACE FUNCTION lease_renew(p_run uuid, p_fence bigint, p_seconds integer)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'SCHEMA', 'pg_temp'
AS $function$
begin
  update lease set expires_at = lease_end(p_seconds)
    where run_id = p_run and fence = p_fence and expires_at > clock_timestamp();
  return found;
end $function$


CREATE OR REPLACE FUNCTION notify_row()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'SCHEMA', 'pg_temp'
AS $function$
declare
  v_row jsonb := to_jsonb(new);
begin
  perform pg_notify(tg_table_schema || '.' || tg_table_name, coalesce(v_row ->> tg_argv[0], ''));
  return null;
end $function$


CREATE OR REPLACE FUNCTION privileged_append(p_kind text, p_task uuid, p_data jsonb)
 RETURNS bigint
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'SCHEMA', 'pg_temp'
AS $function$
declare
  v_process text := session_process();
  v_seq bigint;
  v_prev text;
  v_at timestamptz;
begin
  if v_process is null then
    raise exception 'unknown role %', session_user using errcode = 'insufficient_privilege';
  end if;
  perform pg_advisory_xact_lock(hashtextextended(current_schema() || 'privileged_act', 2));
  select seq, hash into v_seq, v_prev from privileged_act order by seq desc limit 1;
  v_seq := coalesce(v_seq, 0) + 1;
  v_prev := coalesce(v_prev, '');
  v_at := clock_timestamp();
  insert into privileged_act (seq, at, process, kind, task_id, data, prev_hash, hash)
    values (v_seq, v_at, v_process, p_kind, p_task, p_data, v_prev,
      chain_hash(v_prev, v_seq, v_at, v_process, p_kind, p_data));
  return v_seq;
end $function$


CREATE OR REPLACE FUNCTION run_move(p_run uuid, p_from text, p_to text, p_reason text DEFAULT NULL::text, p_fence bigint DEFAULT NULL::bigint)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'SCHEMA', 'pg_temp'
AS $function$
begin
  if not exists (
    select 1 from run_transition
    where from_state = p_from and to_state = p_to and process = session_process()
  ) then
    raise exception 'run may not move from % to % by %', p_from, p_to, coalesce(session_process(), session_user)
      using errcode = 'insufficient_privilege';
  end if;
  if session_process() = 'worker-launcher' and not lease_held(p_run, p_fence) then
    return false;
  end if;
  update run set state = p_to, state_reason = p_reason, moved_at = clock_timestamp()
    where id = p_run and state = p_from;
  return found;
end $function$


CREATE OR REPLACE FUNCTION session_process()
 RETURNS text
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'SCHEMA', 'pg_temp'
AS $function$ select process from db_role where role_name = session_user $function$


CREATE OR REPLACE FUNCTION task_move(p_task uuid, p_from text, p_to text, p_reason text DEFAULT NULL::text)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'SCHEMA', 'pg_temp'
AS $function$
begin
  if not exists (
    select 1 from task_transition
    where from_state = p_from and to_state = p_to and process = session_process()
  ) then
    raise exception 'task may not move from % to % by %', p_from, p_to, coalesce(session_process(), session_user)
      using errcode = 'insufficient_privilege';
  end if;
  update task set state = p_to, state_reason = p_reason, moved_at = clock_timestamp()
    where id = p_task and state = p_from;
  return found;
end $function$


CREATE OR REPLACE FUNCTION timeline_append(p_subject uuid, p_kind text, p_data jsonb)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'SCHEMA', 'pg_temp'
AS $function$
begin
  if p_kind in ('halt_set', 'halt_lifted') then
    raise exception 'timeline event % is written by its own function alone', p_kind
      using errcode = 'insufficient_privilege';
  end if;
  return timeline_write(p_subject, p_kind, p_data);
end $function$


CREATE OR REPLACE FUNCTION timeline_verify(p_subject uuid)
 RETURNS TABLE(seq integer, problem text)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'SCHEMA', 'pg_temp'
AS $function$
declare
  v_row timeline%rowtype;
  v_expected integer := 1;
  v_prev text := encode(sha256(convert_to(p_subject::text, 'UTF8')), 'hex');
begin
  for v_row in select * from timeline t where t.subject = p_subject order by t.seq loop
    if v_row.seq <> v_expected then
      seq := v_expected; problem := 'missing'; return next; return;
    end if;
    if v_row.prev_hash <> v_prev
      or v_row.hash <> chain_hash(v_prev, v_row.seq, v_row.at, v_row.process, v_row.kind, v_row.data) then
      seq := v_row.seq; problem := 'altered'; return next; return;
    end if;
    v_prev := v_row.hash;
    v_expected := v_expected + 1;
  end loop;
end $function$


CREATE OR REPLACE FUNCTION timeline_write(p_subject uuid, p_kind text, p_data jsonb)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'SCHEMA', 'pg_temp'
AS $function$
declare
  v_process text := session_process();
  v_seq integer;
  v_prev text;
  v_at timestamptz;
begin
  if v_process is null or not exists (select 1 from timeline_kind where kind = p_kind and process = v_process) then
    raise exception 'timeline event % may not be written by %', p_kind, coalesce(v_process, session_user)
      using errcode = 'insufficient_privilege';
  end if;
  -- One writer per chain at a time; the lock ends with the transaction, so the next one sees this row.
  perform pg_advisory_xact_lock(hashtextextended(current_schema() || p_subject::text, 1));
  select seq, hash into v_seq, v_prev from timeline where subject = p_subject order by seq desc limit 1;
  v_seq := coalesce(v_seq, 0) + 1;
  v_prev := coalesce(v_prev, encode(sha256(convert_to(p_subject::text, 'UTF8')), 'hex'));
  v_at := clock_timestamp();
  insert into timeline (subject, seq, at, process, kind, data, prev_hash, hash)
    values (p_subject, v_seq, v_at, v_process, p_kind, p_data, v_prev,
      chain_hash(v_prev, v_seq, v_at, v_process, p_kind, p_data));
  return v_seq;
end $function$

