-- What the system remembers. One deployment is one schema; names are unqualified because the migrator sets search_path.
-- Bodies and texts from outside are bytea: jsonb and text refuse NUL and lone surrogates, and jsonb drops duplicate keys.

-- Which process a database role speaks for. Filled by provisioning; read by every guard below.
create table db_role (
  role_name text primary key,
  process text not null
);

create function session_process() returns text
  language sql stable security definer
  set search_path from current
  as $$ select process from db_role where role_name = session_user $$;

create table delivery (
  id uuid primary key,
  target_type text not null check (length(target_type) <= 64),
  target_id text not null check (length(target_id) <= 32),
  guid text not null check (length(guid) between 1 and 64),
  event text not null check (event ~ '^[a-z][a-z0-9_]{0,63}$'),
  content_type text not null check (content_type in ('json', 'form')),
  headers jsonb not null,
  body bytea not null,
  body_sha256 text not null check (body_sha256 ~ '^[0-9a-f]{64}$'),
  state text not null default 'stored' check (state in ('stored', 'handled', 'not_for_us', 'unusable')),
  state_reason text,
  received_at timestamptz not null default now(),
  handled_at timestamptz,
  unique (target_type, target_id, guid)
);
create index delivery_unhandled on delivery (received_at) where state = 'stored';
create index delivery_body on delivery (body_sha256);

create table queue_producer (
  queue text not null,
  process text not null,
  primary key (queue, process)
);

create table outbox (
  id bigint generated always as identity primary key,
  process text not null default session_process(),
  queue text not null,
  data jsonb not null,
  created_at timestamptz not null default now(),
  next_at timestamptz not null default now(),
  attempts integer not null default 0,
  sent_at timestamptz
);
create index outbox_due on outbox (process, next_at) where sent_at is null;
create index outbox_sent on outbox (sent_at) where sent_at is not null;

create table installation (
  id bigint primary key,
  account text,
  state text not null default 'active' check (state in ('active', 'suspended', 'deleted')),
  updated_at timestamptz not null default now()
);

create table repository (
  id bigint primary key,
  installation_id bigint not null references installation (id),
  owner text not null,
  name text not null,
  updated_at timestamptz not null default now()
);

create table task (
  id uuid primary key,
  delivery_id uuid not null references delivery (id),
  -- The second wall against doubles: one event may come under two GUIDs (an App hook beside a repository hook).
  source_key text not null unique,
  installation_id bigint not null,
  repository_id bigint not null references repository (id),
  subject_kind text not null check (subject_kind in ('issue', 'pull_request')),
  subject_number integer not null,
  verb text not null,
  act text not null check (act in ('pull_request', 'update', 'review', 'comment')),
  team text not null,
  requester_id bigint not null,
  requester_login text not null,
  comment_id bigint,
  branch text unique,
  state text not null default 'received' check (state in (
    'received', 'assessing', 'refused', 'awaiting_approval', 'admitted', 'running', 'collected', 'judging',
    'held', 'rejected', 'published', 'answered', 'cancelled', 'expired', 'failed')),
  state_reason text,
  created_at timestamptz not null default now(),
  moved_at timestamptz not null default now()
);
create index task_state on task (state, moved_at);
create index task_repository on task (repository_id, created_at);

create table snapshot (
  task_id uuid primary key references task (id),
  content bytea not null,
  sha256 text not null check (sha256 ~ '^[0-9a-f]{64}$'),
  taken_at timestamptz not null default now()
);

create table assessment (
  id uuid primary key,
  task_id uuid not null references task (id),
  decision text not null check (decision in ('admit', 'hold', 'refuse')),
  reasons jsonb not null,
  assessed_at timestamptz not null default now()
);
create index assessment_task on assessment (task_id);

create table approval (
  id uuid primary key,
  task_id uuid not null references task (id),
  stage text not null check (stage in ('run', 'publish')),
  approved_by text not null,
  reason text not null,
  approved_at timestamptz not null default now()
);

create table team_version (
  hash text primary key,
  name text not null,
  content jsonb not null,
  created_at timestamptz not null default now()
);

create table policy_version (
  hash text primary key,
  content jsonb not null,
  created_at timestamptz not null default now()
);

create table run (
  id uuid primary key,
  task_id uuid not null references task (id),
  number integer not null,
  state text not null default 'pending' check (state in (
    'pending', 'running', 'suspended', 'collected', 'failed', 'cancelled')),
  state_reason text,
  source_request_id uuid,
  source_artifact_id uuid,
  bundle_artifact_id uuid,
  head_oid text,
  tree_oid text,
  created_at timestamptz not null default now(),
  moved_at timestamptz not null default now(),
  unique (task_id, number)
);
create index run_state on run (state, moved_at);

create table ticket (
  jti uuid primary key,
  task_id uuid not null references task (id),
  run_id uuid not null references run (id),
  kid text not null,
  token text not null,
  issued_at timestamptz not null default now(),
  expires_at timestamptz not null,
  revoked_at timestamptz,
  revoked_reason text
);
create index ticket_run on ticket (run_id);

create table github_request_kind (
  kind text not null,
  process text not null,
  primary key (kind, process)
);

create table github_request (
  id uuid primary key,
  process text not null default session_process(),
  kind text not null,
  task_id uuid not null references task (id),
  installation_id bigint not null,
  repository_id bigint not null,
  params jsonb not null,
  -- Asking twice is asking once: the asker derives the key from what it wants to know.
  ask_key text not null,
  ticket_jti uuid,
  state text not null default 'asked' check (state in ('asked', 'answered', 'unknown')),
  answer jsonb,
  artifact_id uuid,
  attempts integer not null default 0,
  asked_at timestamptz not null default now(),
  answered_at timestamptz,
  unique (task_id, ask_key)
);
create index github_request_open on github_request (asked_at) where state = 'asked';

create table reservation (
  id uuid primary key,
  task_id uuid not null references task (id),
  kind text not null check (kind in ('tokens', 'cost_microusd', 'steps', 'tasks')),
  amount bigint not null check (amount >= 0),
  reserved_at timestamptz not null default now(),
  settled_at timestamptz
);

create table step (
  id uuid primary key,
  run_id uuid not null references run (id),
  fence bigint not null,
  node text not null,
  visit integer not null,
  attempt integer not null,
  read_only boolean not null,
  enforced_by text not null,
  policy_hash text,
  state text not null default 'started' check (state in ('started', 'finished', 'failed')),
  base_tree text not null,
  tree text,
  commit_oid text,
  pack_artifact_id uuid,
  transcript_artifact_id uuid,
  hand_off jsonb,
  exit jsonb,
  started_at timestamptz not null default now(),
  ended_at timestamptz,
  unique (run_id, node, visit, attempt)
);

-- The fake credential that lay in one step's sandbox, and where the launcher saw it again. Whatever carries it out is held.
create table canary (
  step_id uuid primary key references step (id),
  value text not null unique check (length(value) >= 20),
  seen_in text[] not null default '{}' check (seen_in <@ array['hand_off', 'path', 'patch'])
);

create table usage (
  id bigint generated always as identity primary key,
  task_id uuid not null references task (id),
  step_id uuid references step (id),
  provider text not null,
  model text not null,
  tokens_in bigint not null default 0,
  tokens_out bigint not null default 0,
  cost_microusd bigint not null default 0,
  used_at timestamptz not null default now()
);

create table lease (
  run_id uuid primary key references run (id),
  holder text not null,
  fence bigint not null,
  expires_at timestamptz not null
);

create table step_grant (
  id uuid primary key,
  step_id uuid not null references step (id),
  jti uuid not null references ticket (jti),
  opened_at timestamptz not null default now(),
  closed_at timestamptz
);

create table artifact_kind (
  kind text primary key,
  writer text not null,
  readers text[] not null,
  max_bytes bigint not null
);

create table artifact (
  id uuid primary key,
  kind text not null references artifact_kind (kind),
  process text not null default session_process(),
  task_id uuid references task (id),
  sha256 text check (sha256 ~ '^[0-9a-f]{64}$'),
  size bigint,
  created_at timestamptz not null default now(),
  expires_at timestamptz
);
create unique index artifact_content on artifact (kind, task_id, sha256) where sha256 is not null;

create table artifact_chunk (
  artifact_id uuid not null references artifact (id) on delete cascade,
  seq integer not null,
  data bytea not null check (length(data) <= 1048576),
  primary key (artifact_id, seq)
);
alter table artifact_chunk alter column data set storage external;

-- What the importer found in one bundle. `ok = false` carries the reason for which nothing of it may leave.
create table bundle_import (
  run_id uuid primary key references run (id),
  bundle_artifact_id uuid not null,
  ok boolean not null,
  reason text,
  message text,
  facts_artifact_id uuid,
  pack_artifact_id uuid,
  imported_at timestamptz not null default now()
);

create table verdict (
  id uuid primary key,
  run_id uuid not null unique references run (id),
  decision text not null check (decision in ('publish', 'hold', 'reject')),
  reasons jsonb not null,
  policy_hash text not null,
  tree_oid text,
  given_at timestamptz not null default now()
);

create table publication (
  task_id uuid primary key references task (id),
  run_id uuid not null references run (id),
  kind text not null check (kind in ('pull_request', 'update', 'review', 'comment')),
  branch text,
  base_ref text not null,
  base_sha text not null,
  repository_id bigint not null,
  trigger_id bigint not null,
  head_sha text,
  tree_oid text,
  pull_number integer,
  pull_url text,
  comment_id bigint,
  pushed_at timestamptz,
  opened_at timestamptz,
  commented_at timestamptz
);
-- One request is answered once, however many tasks somebody makes of it.
create unique index publication_trigger on publication (repository_id, trigger_id) where kind = 'pull_request';

create sequence halt_version;
create table halt (
  id bigint generated always as identity primary key,
  scope text not null check (scope = 'all' or scope ~ '^repo:[0-9]+$'),
  level text not null check (level in ('drain', 'stop')),
  reason text not null check (length(reason) between 1 and 1000),
  set_by text not null,
  set_at timestamptz not null default now(),
  version bigint not null default nextval('halt_version'),
  lifted_at timestamptz,
  lifted_by text
);
create unique index halt_active on halt (scope) where lifted_at is null;

-- Who is alive, and which version of the halt each has acted upon.
create table presence (
  instance uuid primary key,
  process text not null default session_process(),
  host text not null,
  started_at timestamptz not null default now(),
  beat_at timestamptz not null default now(),
  halt_version bigint not null default 0,
  stopped_at timestamptz
);

create table operator_act (
  id uuid primary key,
  kind text not null check (kind in ('approve', 'cancel', 'retry', 'publish_draft')),
  task_id uuid not null references task (id),
  data jsonb not null default '{}',
  requested_by text not null,
  requested_at timestamptz not null default now(),
  performed_at timestamptz,
  result text
);
create index operator_act_open on operator_act (requested_at) where performed_at is null;

create table timeline_kind (
  kind text not null,
  process text not null,
  primary key (kind, process)
);

create table timeline (
  subject uuid not null,
  seq integer not null,
  at timestamptz not null,
  process text not null,
  kind text not null,
  data jsonb not null,
  prev_hash text not null,
  hash text not null,
  primary key (subject, seq)
);

create table privileged_act (
  seq bigint primary key,
  at timestamptz not null,
  process text not null,
  kind text not null,
  task_id uuid,
  data jsonb not null,
  prev_hash text not null,
  hash text not null
);
