-- The places of a kind are shared by workspace, and a first attempt that waits for its time holds up no later one of its lane.
--
-- A workspace may have at most as many places as are free: alone, half of them; of n workspaces with work, each one part of n + 1. So one that
-- comes always finds some, whatever the others wait for. What decides is what the asking process holds: `p_has` and `p_holds`.

-- `aside`: a job that was put off until its time, such as the end of quiet hours. Until then a first attempt is no head of its lane; then it goes back
-- into it, at the place of its `seq`. `last_error` tells what it waits for, and finds it again when that is over.
alter table inbox.job add column aside boolean not null default false;
update inbox.job set aside = true where token is null and due_at is not null
  and (last_error like 'quiet hours%' or last_error like 'the campaign % is paused' or last_error like 'the flow % is paused');
create index job_aside on inbox.job (kind, workspace_id, last_error, seq) where aside;

-- As in 0004, but a job that waits aside is passed.
create or replace function inbox.promote(p_kind text, p_lane bigint[]) returns void language plpgsql as $f$
begin
  update inbox.job j set due_at = clock_timestamp()
  from (select distinct l.lane from unnest(p_lane) l(lane)) freed
  cross join lateral (
    select h.ctid, h.due_at from inbox.job h
    where h.kind = p_kind and h.lane = freed.lane and h.attempt = 0 and not h.aside order by h.seq limit 1
  ) head
  where head.due_at is null and j.ctid = head.ctid;
end $f$;

-- As in 0004, and with `p_aside`. A process of the version before does not give it: there the sentence says what waits aside. Jobs of a lane that wait for the same are due in their order.
drop function inbox.settle;
create function inbox.settle(
  p_kind text, p_lane bigint[], p_seq bigint[], p_token bigint[], p_back_delay bigint[], p_back_counts boolean[], p_error text[], p_aside boolean[])
returns void language plpgsql as $f$
declare
  v_freed bigint[];
  v_back bigint[];
begin
  perform inbox.lock_kind(p_kind);
  with gone as (
    delete from inbox.job j using unnest(p_lane, p_seq, p_token, p_back_delay) d(lane, seq, token, delay)
    cross join lateral (select h.ctid from inbox.job h where h.kind = p_kind and h.lane = d.lane and h.seq = d.seq and h.token = d.token limit 1) mine
    where d.delay is null and j.ctid = mine.ctid and j.token = d.token returning j.lane
  ) select array_agg(lane) into v_freed from gone;
  if cardinality(array_remove(p_back_delay, null)) > 0 then
    with back as (
      update inbox.job j set token = null, attempt = j.attempt + d.counts::int, last_error = left(coalesce(d.error, j.last_error), 500),
        aside = coalesce(d.aside, d.error like 'quiet hours%' or d.error like 'the campaign % is paused' or d.error like 'the flow % is paused', false),
        due_at = greatest(clock_timestamp() + d.delay * interval '1 millisecond', before.due_at)
      from unnest(p_lane, p_seq, p_token, p_back_delay, p_back_counts, p_error, p_aside) d(lane, seq, token, delay, counts, error, aside)
      cross join lateral (select h.ctid from inbox.job h where h.kind = p_kind and h.lane = d.lane and h.seq = d.seq and h.token = d.token limit 1) mine
      left join lateral (
        select b.due_at from inbox.job b
        where d.aside and b.kind = p_kind and b.lane = d.lane and b.seq < d.seq and b.aside and b.token is null and b.last_error = d.error
        order by b.seq desc limit 1) before on true
      where d.delay is not null and j.ctid = mine.ctid and j.token = d.token returning j.lane
    ) select array_agg(lane) into v_back from back;
  end if;
  perform inbox.promote(p_kind, coalesce(v_freed, '{}') || coalesce(v_back, '{}'));
end $f$;

-- How many of the free places one of so many workspaces takes that has some: so many that then it has at most what is left, were the others to take the
-- same. One that has none gets one as long as any is free.
create function inbox.share_of(p_free integer, p_has integer, p_workspaces integer) returns integer language sql immutable as $f$
  select greatest(case when p_has = 0 then 1 else 0 end, (p_free - p_has) / (p_workspaces + 1))
$f$;

-- As in 0083, shared by workspace. `p_limit`: the places that are free. `p_has`, `p_holds`: the places that workspaces have already in the process that
-- asks; where these are null the places are not shared. `more`: something due is left to a later claim.
drop function inbox.claim;
create function inbox.claim(p_kind text, p_limit integer, p_lease_ms bigint, p_after uuid, p_has uuid[], p_holds integer[])
returns table (lane bigint, seq bigint, token bigint, workspace_id uuid, attempt smallint, payload text, next_after uuid, taken_over boolean,
  claimed_before boolean, more boolean)
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
    select v.ws, case when p_has is null then greatest(1, p_limit / count(*) over ())::integer
      else inbox.share_of(p_limit, coalesce(mine.n, 0), (count(*) over ())::integer) end as share
    from visited v left join lateral (
      select 1 as yes from inbox.held_workspace h
      where h.kind = p_kind and h.workspace_id = v.ws and h.held_until > v_now limit 1) hold on true
    left join lateral (select m.n from unnest(p_has, p_holds) m(ws, n) where m.ws = v.ws limit 1) mine on true
    where v.first_due <= v_now and hold.yes is null
  ),
  candidate as materialized (
    select c.*, t.share, row_number() over (partition by t.ws order by c.due_at) as place from turn t cross join lateral (
      select j.ctid as at, j.lane, j.seq, j.due_at, j.aside, j.token is not null or v_forgotten as held_before,
        j.attempt > 0 or j.last_error is not null as came_back
      from inbox.job j
      where j.kind = p_kind and j.workspace_id = t.ws and j.due_at <= v_now order by j.due_at limit t.share + 1) c
  ), sorted as materialized (
    select c.at, c.aside, c.held_before, c.came_back,
      held.until is null and row_number() over (partition by c.lane order by c.due_at, c.seq) = 1 as free
    from candidate c left join lateral (
      select r.due_at as until from inbox.job r where r.kind = p_kind and r.lane = c.lane and r.token is not null
      order by r.due_at desc limit 1) held on held.until > v_now
    where c.place <= c.share
  ), blocked as (
    -- A retry whose lane is busy comes back in a second, so that a crowd of them cannot hide the jobs behind; a first attempt that waited aside goes
    -- back into its lane.
    update inbox.job j set due_at = case when not (s.aside and j.attempt = 0) then v_now + interval '1 second' end, aside = false
    from sorted s where not s.free and j.ctid = s.at
  ), claimed as (
    update inbox.job j set token = v_token, due_at = v_now + p_lease_ms * interval '1 millisecond', aside = false from sorted s
    where s.free and j.ctid = s.at and coalesce(j.due_at, 'infinity') <= v_now
    returning j.lane, j.seq, j.workspace_id, j.attempt, j.payload, s.held_before, s.came_back
  )
  select c.lane, c.seq, v_token, c.workspace_id, c.attempt, c.payload, u.ws, c.held_before, c.held_before or c.came_back,
    exists (select from candidate d where d.place > d.share)
  from cursor u left join claimed c on true
  order by row_number() over (partition by c.workspace_id order by c.seq), c.workspace_id;
end $f$;

-- As in 0083, with `p_aside` and shared by workspace. A process of the version before gives none of them.
drop function inbox.turn;
create function inbox.turn(
  p_kind text, p_lane bigint[], p_seq bigint[], p_token bigint[], p_back_delay bigint[], p_back_counts boolean[], p_error text[],
  p_limit integer, p_lease_ms bigint, p_after uuid, p_aside boolean[] default null, p_has uuid[] default null, p_holds integer[] default null)
returns table (lane bigint, seq bigint, token bigint, workspace_id uuid, attempt smallint, payload text, next_after uuid, taken_over boolean,
  claimed_before boolean, more boolean)
language plpgsql as $f$
begin
  perform set_config('synchronous_commit', 'off', true);
  if cardinality(p_lane) > 0 then
    perform inbox.settle(p_kind, p_lane, p_seq, p_token, p_back_delay, p_back_counts, p_error, p_aside);
  end if;
  if p_limit > 0 then
    return query select * from inbox.claim(p_kind, p_limit, p_lease_ms, p_after, p_has, p_holds);
  end if;
end $f$;

alter function inbox.turn set enable_seqscan = off set enable_bitmapscan = off set plan_cache_mode = force_generic_plan;

-- As in 0032, shared by workspace, and what waits aside is no head. `p_room`: the places that are free.
drop function inbox.admit;
create function inbox.admit(
  p_kind text, p_workspace uuid[], p_lane text[], p_seq bigint[], p_payload text[], p_room integer, p_lease_ms bigint,
  p_has uuid[] default null, p_holds integer[] default null)
returns table (fresh integer, place integer, lane bigint, token bigint)
language plpgsql set enable_seqscan = off set enable_bitmapscan = off set plan_cache_mode = force_generic_plan as $f$
declare
  v_now timestamptz;
  v_held uuid[];
  v_token bigint := nextval('inbox.claim_token');
  v_room integer;
begin
  perform inbox.lock_kind(p_kind);
  v_room := case when inbox.may_have_forgotten() then 0 else p_room end;
  v_now := clock_timestamp();
  v_held := array(
    select h.workspace_id from inbox.held_workspace h
    where h.kind = p_kind and h.workspace_id = any (p_workspace) and h.held_until > v_now);
  return query
  with given as (
    select hashtextextended(g.lane, 0) as lane, g.seq, g.workspace_id, g.payload, g.place
    from unnest(p_workspace, p_lane, p_seq, p_payload) with ordinality g(workspace_id, lane, seq, payload, place)
  ), fresh as materialized (
    select g.*, row_number() over (partition by g.lane order by g.seq) as nth
    from given g
    left join lateral (select 1 as yes from inbox.job j where j.kind = p_kind and j.lane = g.lane and j.seq = g.seq limit 1) known on true
    where known.yes is null
  ), head as materialized (
    select f.*, f.nth = 1 and ahead.yes is null as due,
      f.nth = 1 and ahead.yes is null and held.until is null and f.workspace_id <> all (v_held) as free
    from fresh f
    left join lateral (
      select 1 as yes from inbox.job j where j.kind = p_kind and j.lane = f.lane and j.attempt = 0 and not j.aside limit 1) ahead on true
    left join lateral (
      select j.due_at as until from inbox.job j where j.kind = p_kind and j.lane = f.lane and j.token is not null
      order by j.due_at desc limit 1) held on held.until > v_now
  ), shared as materialized (
    select w.workspace_id, case when p_has is null then v_room
      else inbox.share_of(v_room, coalesce(mine.n, 0), (count(*) over ())::integer) end as share
    from (select distinct h.workspace_id from head h where h.free) w
    left join lateral (select m.n from unnest(p_has, p_holds) m(ws, n) where m.ws = w.workspace_id limit 1) mine on true
  ), placed as materialized (
    select h.*, h.free
      and count(*) filter (where h.free) over (partition by h.workspace_id order by h.seq, h.place) <= coalesce(s.share, 0)
      and count(*) filter (where h.free) over (order by h.seq, h.place) <= v_room as mine
    from head h left join shared s on s.workspace_id = h.workspace_id
  ), written as (
    insert into inbox.job (kind, lane, seq, workspace_id, payload, due_at, token)
    select p_kind, p.lane, p.seq, p.workspace_id, p.payload,
      case when p.mine then v_now + p_lease_ms * interval '1 millisecond' when p.due then v_now end, case when p.mine then v_token end
    from placed p order by p.seq
  )
  select n.fresh, p.place::integer, p.lane, v_token
  from (select count(*)::integer as fresh from placed) n left join placed p on p.mine
  order by p.seq, p.place;
end $f$;

-- As in 0083; what waits aside is no head.
create or replace function inbox.exhume(p_id uuid) returns boolean language plpgsql as $f$
declare
  v_dead ops.dead_letter;
begin
  select d.* into v_dead from ops.dead_letter d where d.id = p_id and d.source = 'job' and d.state = 'open' for update;
  if not found then return false; end if;
  perform inbox.lock_kind(v_dead.consumer);
  insert into inbox.job (kind, lane, seq, workspace_id, payload, last_error)
  values (v_dead.consumer, v_dead.lane, v_dead.seq, v_dead.workspace_id, v_dead.payload, left(v_dead.error, 500)) on conflict do nothing;
  if not exists (
    select from inbox.job j
    where j.kind = v_dead.consumer and j.lane = v_dead.lane and j.attempt = 0 and not j.aside and j.due_at is not null) then
    perform inbox.promote(v_dead.consumer, array[v_dead.lane]);
  end if;
  update ops.dead_letter set state = 'redriven', last_seen_at = now() where id = p_id;
  return true;
end $f$;

-- Puts jobs back into their lanes that wait aside for a reason that is over, at most `p_limit`, those that were admitted first; answers how many.
-- `p_lanes`: of these lanes alone.
create function inbox.wake_aside(p_kind text, p_workspace uuid, p_reason text, p_lanes text[], p_limit integer) returns integer
language plpgsql set enable_seqscan = off set enable_bitmapscan = off set plan_cache_mode = force_generic_plan as $f$
declare
  v_lanes bigint[];
  v_woken bigint[];
  v_now timestamptz := clock_timestamp();
begin
  perform inbox.lock_kind(p_kind);
  v_lanes := array(select hashtextextended(l.name, 0) from unnest(p_lanes) l(name));
  with waiting as materialized (
    select j.ctid as at from inbox.job j
    where j.aside and j.kind = p_kind and j.workspace_id = p_workspace and j.last_error = p_reason and j.token is null
      and (p_lanes is null or j.lane = any (v_lanes))
    order by j.seq limit p_limit
  ), woken as (
    update inbox.job j set due_at = case when j.attempt > 0 then v_now end, aside = false from waiting s where j.ctid = s.at returning j.lane
  ) select array_agg(w.lane) into v_woken from woken w;
  perform inbox.promote(p_kind, v_woken);
  return coalesce(cardinality(v_woken), 0);
end $f$;
