-- How state moves: only through these functions, which know who asks (the session's role), from where, and to where.
-- Each is one compare-and-set: no row changed means that somebody else was first, and the caller must look again.

create table task_transition (
  from_state text not null,
  to_state text not null,
  process text not null,
  primary key (from_state, to_state, process)
);

create table run_transition (
  from_state text not null,
  to_state text not null,
  process text not null,
  primary key (from_state, to_state, process)
);

create function task_move(p_task uuid, p_from text, p_to text, p_reason text default null) returns boolean
  language plpgsql security definer
  set search_path from current
as $$
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
end $$;

-- A launcher moves a run only while it holds the run's lease under the fencing number that it was given.
create function run_move(p_run uuid, p_from text, p_to text, p_reason text default null, p_fence bigint default null)
  returns boolean
  language plpgsql security definer
  set search_path from current
as $$
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
end $$;

create function lease_held(p_run uuid, p_fence bigint) returns boolean
  language sql security definer
  set search_path from current
as $$
  select exists (
    select 1 from lease where run_id = p_run and fence = p_fence and expires_at > clock_timestamp() for update
  )
$$;

-- The end of a lease that is taken or renewed now. Bounded: a launcher that says nothing more must become replaceable.
create function lease_end(p_seconds integer) returns timestamptz
  language sql volatile
  set search_path from current
as $$ select clock_timestamp() + make_interval(secs => least(greatest(p_seconds, 1), 3600)) $$;

-- Claims the lease of a run that waits for a launcher; the new fencing number, or null while another holder's lease
-- lives, and for ever once the run is over: what was collected is out of every launcher's reach.
create function lease_claim(p_run uuid, p_holder text, p_seconds integer) returns bigint
  language plpgsql security definer
  set search_path from current
as $$
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
end $$;

create function lease_renew(p_run uuid, p_fence bigint, p_seconds integer) returns boolean
  language plpgsql security definer
  set search_path from current
as $$
begin
  update lease set expires_at = lease_end(p_seconds)
    where run_id = p_run and fence = p_fence and expires_at > clock_timestamp();
  return found;
end $$;

create function lease_release(p_run uuid, p_fence bigint) returns boolean
  language plpgsql security definer
  set search_path from current
as $$
begin
  update lease set expires_at = clock_timestamp() where run_id = p_run and fence = p_fence;
  return found;
end $$;

create function halt_set(p_scope text, p_level text, p_reason text, p_by text) returns bigint
  language plpgsql security definer
  set search_path from current
as $$
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
end $$;

create function halt_lift(p_scope text, p_by text) returns boolean
  language plpgsql security definer
  set search_path from current
as $$
begin
  update halt set lifted_at = now(), lifted_by = p_by, version = nextval('halt_version')
    where scope = p_scope and lifted_at is null;
  if not found then
    return false;
  end if;
  perform timeline_write('00000000-0000-0000-0000-000000000000', 'halt_lifted',
    jsonb_build_object('scope', p_scope, 'by', p_by));
  return true;
end $$;
