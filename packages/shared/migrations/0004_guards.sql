-- Row guards: who may ask what, enqueue where, read which artifact; and the nudges by which processes wake each other.
-- A nudge is a hint only: every listener also sweeps.

create function notify_row() returns trigger language plpgsql as $$
declare
  v_row jsonb := to_jsonb(new);
begin
  perform pg_notify(tg_table_schema || '.' || tg_table_name, coalesce(v_row ->> tg_argv[0], ''));
  return null;
end $$;

create trigger outbox_nudge after insert on outbox for each row execute function notify_row('process');
create trigger github_answer_nudge after update of state on github_request
  for each row when (new.state <> 'asked') execute function notify_row('id');
create trigger halt_nudge after insert or update on halt for each row execute function notify_row('version');
create trigger timeline_nudge after insert on timeline for each row execute function notify_row('subject');
create trigger bundle_import_nudge after insert on bundle_import for each row execute function notify_row('run_id');
create trigger operator_act_nudge after insert on operator_act for each row execute function notify_row('id');

alter table outbox enable row level security;
create policy outbox_own on outbox
  using (process = session_process())
  with check (
    process = session_process()
    and exists (select 1 from queue_producer p where p.queue = outbox.queue and p.process = session_process())
  );
-- Depth and age are for the dashboards; contents stay ids.
create policy outbox_watch on outbox for select using (session_process() in ('console', 'operator'));

alter table github_request enable row level security;
create policy github_request_ask on github_request for insert
  with check (
    process = session_process()
    and state = 'asked'
    and exists (
      select 1 from github_request_kind k
      where k.kind = github_request.kind and k.process = session_process()
    )
    and exists (
      select 1 from task t
      where t.id = github_request.task_id
        and t.repository_id = github_request.repository_id
        and t.installation_id = github_request.installation_id
    )
  );
create policy github_request_read on github_request for select
  using (process = session_process() or session_process() in ('publisher', 'console', 'operator'));
create policy github_request_answer on github_request for update using (session_process() = 'publisher');

alter table artifact enable row level security;
create policy artifact_write on artifact for insert
  with check (
    process = session_process()
    and exists (select 1 from artifact_kind k where k.kind = artifact.kind and k.writer = session_process())
  );
create policy artifact_finish on artifact for update using (process = session_process());
create policy artifact_drop on artifact for delete using (process = session_process());
create policy artifact_read on artifact for select
  using (exists (
    select 1 from artifact_kind k
    where k.kind = artifact.kind and (k.writer = session_process() or session_process() = any (k.readers))
  ));

alter table artifact_chunk enable row level security;
create policy artifact_chunk_write on artifact_chunk for insert
  with check (exists (select 1 from artifact a where a.id = artifact_chunk.artifact_id and a.process = session_process()));
create policy artifact_chunk_read on artifact_chunk for select
  using (exists (select 1 from artifact a where a.id = artifact_chunk.artifact_id));

alter table presence enable row level security;
create policy presence_own on presence using (process = session_process()) with check (process = session_process());
create policy presence_watch on presence for select using (session_process() in ('console', 'operator'));
