-- Row guards: who may ask what, enqueue where, read which artifact; and the nudges by which processes wake each other.
-- A nudge is a hint only: every listener also sweeps.

create function notify_row() returns trigger language plpgsql set search_path from current as $$
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
-- Once finished an artifact stays what it is: neither its writer nor anybody else changes it, adds to it, or takes away
-- paid work, unless it was meant to expire.
create policy artifact_finish on artifact for update
  using (process = session_process() and sha256 is null) with check (process = session_process());
create policy artifact_drop on artifact for delete
  using (process = session_process() and (sha256 is null or expires_at <= now()));
create policy artifact_read on artifact for select
  using (exists (
    select 1 from artifact_kind k
    where k.kind = artifact.kind
      and (k.writer = session_process() or artifact.sha256 is not null and session_process() = any (k.readers))
  ));

alter table artifact_chunk enable row level security;
create policy artifact_chunk_write on artifact_chunk for insert
  with check (exists (
    select 1 from artifact a join artifact_kind k on k.kind = a.kind
    where a.id = artifact_chunk.artifact_id and a.process = session_process() and a.sha256 is null
      and artifact_chunk.seq between 0 and (k.max_bytes - 1) / 1048576
  ));
create policy artifact_chunk_read on artifact_chunk for select
  using (exists (select 1 from artifact a where a.id = artifact_chunk.artifact_id));

-- A launcher writes only into runs that are under way and leased, and names only artifacts of the run's own task.
alter table run enable row level security;
create policy run_read on run for select using (true);
create policy run_make on run for insert with check (session_process() = 'gate');
create policy run_record on run for update using (true)
  with check (
    state in ('pending', 'running', 'suspended')
    and exists (select 1 from lease l where l.run_id = run.id and l.expires_at > clock_timestamp())
    and (bundle_artifact_id is null or exists (
      select 1 from artifact a
      where a.id = run.bundle_artifact_id and a.task_id = run.task_id and a.kind = 'bundle' and a.sha256 is not null))
    and (source_artifact_id is null or exists (
      select 1 from artifact a
      where a.id = run.source_artifact_id and a.task_id = run.task_id and a.kind = 'source_pack'))
  );

alter table step enable row level security;
create policy step_read on step for select using (true);
create policy step_begin on step for insert
  with check (exists (
    select 1 from lease l
    where l.run_id = step.run_id and l.fence = step.fence and l.expires_at > clock_timestamp()
  ));
create policy step_finish on step for update
  using (
    state = 'started'
    and exists (select 1 from lease l where l.run_id = step.run_id and l.expires_at > clock_timestamp())
  ) with check (true);

-- Planted when the step begins, and never exchanged; what was seen of it cannot be made unseen.
alter table canary enable row level security;
create policy canary_read on canary for select using (true);
create policy canary_plant on canary for insert
  with check (exists (
    select 1 from step s join lease l on l.run_id = s.run_id and l.fence = s.fence
    where s.id = canary.step_id and s.state = 'started' and l.expires_at > clock_timestamp()
  ));
create policy canary_see on canary for update
  using (exists (
    select 1 from step s join lease l on l.run_id = s.run_id
    where s.id = canary.step_id and l.expires_at > clock_timestamp()
  ))
  with check (cardinality(seen_in) > 0);

-- Who approves the running is told by the gate, who approves the leaving by the publisher: neither can approve for both.
alter table approval enable row level security;
create policy approval_read on approval for select using (true);
create policy approval_give on approval for insert
  with check (session_process() = case stage when 'run' then 'gate' else 'publisher' end);

alter table presence enable row level security;
create policy presence_own on presence using (process = session_process()) with check (process = session_process());
create policy presence_watch on presence for select using (session_process() in ('console', 'operator'));
