-- Says of a claimed job whether a worker had it before: `claimed_before`. That worker may have recorded something of it, also where the job was
-- given back without counting. A job that was never claimed has no token, no attempt and no `last_error`, and every other has one of them.
drop function inbox.turn(text, bigint[], bigint[], bigint[], bigint[], boolean[], text[], integer, bigint, uuid);
drop function inbox.claim(text, integer, bigint, uuid);

-- As in 0032, and with `claimed_before`.
create function inbox.claim(p_kind text, p_limit integer, p_lease_ms bigint, p_after uuid)
returns table (lane bigint, seq bigint, token bigint, workspace_id uuid, attempt smallint, payload text, next_after uuid, taken_over boolean,
  claimed_before boolean)
language plpgsql as $f$
declare
  v_now timestamptz;
  v_token bigint := nextval('inbox.claim_token');
  v_forgotten boolean;
begin
  perform inbox.lock_kind(p_kind);
  v_forgotten := inbox.may_have_forgotten();
  v_now := clock_timestamp();
  return query
  with recursive visit(ws, first_due) as (
    (select j.workspace_id, j.due_at from inbox.job j
     where j.kind = p_kind and j.due_at is not null and j.workspace_id > coalesce(p_after, '00000000-0000-0000-0000-000000000000')
     order by j.workspace_id, j.due_at limit 1)
    union all
    select n.* from visit v cross join lateral (
      select j.workspace_id, j.due_at from inbox.job j
      where j.kind = p_kind and j.due_at is not null and j.workspace_id > v.ws order by j.workspace_id, j.due_at limit 1) n
  ), visited as materialized (select * from visit limit p_limit),
  cursor as (select case when count(*) = p_limit then max(ws::text)::uuid end as ws from visited),
  turn as materialized (
    select v.ws, greatest(1, p_limit / count(*) over ())::int as share
    from visited v left join lateral (
      select 1 as yes from inbox.held_workspace h
      where h.kind = p_kind and h.workspace_id = v.ws and h.held_until > v_now limit 1) hold on true
    where v.first_due <= v_now and hold.yes is null
  ),
  candidate as materialized (
    select c.* from turn t cross join lateral (
      select j.ctid as at, j.lane, j.seq, j.due_at, j.token is not null or v_forgotten as held_before,
        j.attempt > 0 or j.last_error is not null as came_back
      from inbox.job j
      where j.kind = p_kind and j.workspace_id = t.ws and j.due_at <= v_now order by j.due_at limit t.share) c
  ), sorted as materialized (
    select c.at, c.held_before, c.came_back,
      held.until is null and row_number() over (partition by c.lane order by c.due_at, c.seq) = 1 as free
    from candidate c left join lateral (
      select r.due_at as until from inbox.job r where r.kind = p_kind and r.lane = c.lane and r.token is not null
      order by r.due_at desc limit 1) held on held.until > v_now
  ), blocked as (
    -- A retry whose lane is busy comes back in a second, so that a crowd of them cannot hide the jobs behind.
    update inbox.job j set due_at = v_now + interval '1 second' from sorted s where not s.free and j.ctid = s.at
  ), claimed as (
    update inbox.job j set token = v_token, due_at = v_now + p_lease_ms * interval '1 millisecond' from sorted s
    where s.free and j.ctid = s.at and coalesce(j.due_at, 'infinity') <= v_now
    returning j.lane, j.seq, j.workspace_id, j.attempt, j.payload, s.held_before, s.came_back
  )
  select c.lane, c.seq, v_token, c.workspace_id, c.attempt, c.payload, u.ws, c.held_before, c.held_before or c.came_back
  from cursor u left join claimed c on true
  order by row_number() over (partition by c.workspace_id order by c.seq), c.workspace_id;
end $f$;

-- As in 0030, and with `claimed_before`.
create function inbox.turn(
  p_kind text, p_lane bigint[], p_seq bigint[], p_token bigint[], p_back_delay bigint[], p_back_counts boolean[], p_error text[],
  p_limit integer, p_lease_ms bigint, p_after uuid)
returns table (lane bigint, seq bigint, token bigint, workspace_id uuid, attempt smallint, payload text, next_after uuid, taken_over boolean,
  claimed_before boolean)
language plpgsql as $f$
begin
  perform set_config('synchronous_commit', 'off', true);
  if cardinality(p_lane) > 0 then
    perform inbox.settle(p_kind, p_lane, p_seq, p_token, p_back_delay, p_back_counts, p_error);
  end if;
  if p_limit > 0 then
    return query select * from inbox.claim(p_kind, p_limit, p_lease_ms, p_after);
  end if;
end $f$;

alter function inbox.turn set enable_seqscan = off set enable_bitmapscan = off set plan_cache_mode = force_generic_plan;

-- As in 0004; but the job says why it was set aside.
create or replace function inbox.exhume(p_id uuid) returns boolean language plpgsql as $f$
declare
  v_dead ops.dead_letter;
begin
  select d.* into v_dead from ops.dead_letter d where d.id = p_id and d.source = 'job' and d.state = 'open' for update;
  if not found then return false; end if;
  perform inbox.lock_kind(v_dead.consumer);
  insert into inbox.job (kind, lane, seq, workspace_id, payload, last_error)
  values (v_dead.consumer, v_dead.lane, v_dead.seq, v_dead.workspace_id, v_dead.payload, left(v_dead.error, 500)) on conflict do nothing;
  if not exists (select from inbox.job j where j.kind = v_dead.consumer and j.lane = v_dead.lane and j.attempt = 0 and j.due_at is not null) then
    perform inbox.promote(v_dead.consumer, array[v_dead.lane]);
  end if;
  update ops.dead_letter set state = 'redriven', last_seen_at = now() where id = p_id;
  return true;
end $f$;
