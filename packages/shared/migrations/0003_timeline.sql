-- The append-only, hash-chained list of what happened. The database computes seq, actor, time and hash, so that a
-- process can neither speak for another nor rewrite; the chain is checked by timeline_verify().

create function chain_hash(p_prev text, p_seq bigint, p_at timestamptz, p_process text, p_kind text, p_data jsonb)
  returns text
  language sql immutable
  set search_path from current
as $$
  select encode(sha256(convert_to(
    p_prev || E'\n' || p_seq || E'\n' || (extract(epoch from p_at) * 1000000)::bigint || E'\n' || p_process || E'\n'
      || p_kind || E'\n' || p_data::text, 'UTF8')), 'hex')
$$;

-- Granted to nobody: reached by way of timeline_append, and of the functions that tell of what they themselves did.
create function timeline_write(p_subject uuid, p_kind text, p_data jsonb) returns integer
  language plpgsql security definer
  set search_path from current
as $$
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
end $$;

-- What a process tells of itself. Of the halt only halt_set and halt_lift tell: an event without the act would be a lie.
create function timeline_append(p_subject uuid, p_kind text, p_data jsonb) returns integer
  language plpgsql security definer
  set search_path from current
as $$
begin
  if p_kind in ('halt_set', 'halt_lifted') then
    raise exception 'timeline event % is written by its own function alone', p_kind
      using errcode = 'insufficient_privilege';
  end if;
  return timeline_write(p_subject, p_kind, p_data);
end $$;

-- The first place at which the chain of a subject does not hold; no row when it holds.
create function timeline_verify(p_subject uuid) returns table (seq integer, problem text)
  language plpgsql stable security definer
  set search_path from current
as $$
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
end $$;

create function privileged_append(p_kind text, p_task uuid, p_data jsonb) returns bigint
  language plpgsql security definer
  set search_path from current
as $$
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
end $$;

create function forbid_change() returns trigger language plpgsql set search_path from current as $$
begin
  raise exception '% is append-only', tg_table_name using errcode = 'insufficient_privilege';
end $$;
create trigger timeline_append_only before update or delete or truncate on timeline
  for each statement execute function forbid_change();
create trigger privileged_act_append_only before update or delete or truncate on privileged_act
  for each statement execute function forbid_change();
