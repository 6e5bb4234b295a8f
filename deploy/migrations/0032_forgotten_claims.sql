-- A crash of Postgres forgets the commits of its last 0.6 s that did not wait for the disk: jobs that were claimed are free again, or
-- are not there and are admitted anew, while the worker that has them lives. This table tells a crash: it is unlogged, hence emptied by one
-- (and by a restored backup, and by the promotion of a standby). `since`: the first look after it.
create unlogged table inbox.claims_remembered (
  only_row boolean primary key default true check (only_row),
  since timestamptz not null
);
insert into inbox.claims_remembered (since) values ('-infinity');

-- Whether a worker may have a job in its hands of whose claim nothing is left here: for 10 s from the first look after a crash.
create function inbox.may_have_forgotten() returns boolean language plpgsql as $f$
declare
  v_since timestamptz;
begin
  select since into v_since from inbox.claims_remembered;
  if not found then
    insert into inbox.claims_remembered (since) values (clock_timestamp()) on conflict do nothing;
    return true;
  end if;
  return v_since > clock_timestamp() - interval '10 s';
end $f$;

-- As in 0030, but what is claimed soon after a crash counts as taken over.
create or replace function inbox.claim(p_kind text, p_limit integer, p_lease_ms bigint, p_after uuid)
returns table (lane bigint, seq bigint, token bigint, workspace_id uuid, attempt smallint, payload text, next_after uuid, taken_over boolean)
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
      select j.ctid as at, j.lane, j.seq, j.due_at, j.token is not null or v_forgotten as held_before from inbox.job j
      where j.kind = p_kind and j.workspace_id = t.ws and j.due_at <= v_now order by j.due_at limit t.share) c
  ), sorted as materialized (
    select c.at, c.held_before, held.until is null and row_number() over (partition by c.lane order by c.due_at, c.seq) = 1 as free
    from candidate c left join lateral (
      select r.due_at as until from inbox.job r where r.kind = p_kind and r.lane = c.lane and r.token is not null
      order by r.due_at desc limit 1) held on held.until > v_now
  ), blocked as (
    -- A retry whose lane is busy comes back in a second, so that a crowd of them cannot hide the jobs behind.
    update inbox.job j set due_at = v_now + interval '1 second' from sorted s where not s.free and j.ctid = s.at
  ), claimed as (
    update inbox.job j set token = v_token, due_at = v_now + p_lease_ms * interval '1 millisecond' from sorted s
    where s.free and j.ctid = s.at and coalesce(j.due_at, 'infinity') <= v_now
    returning j.lane, j.seq, j.workspace_id, j.attempt, j.payload, s.held_before
  )
  select c.lane, c.seq, v_token, c.workspace_id, c.attempt, c.payload, u.ws, c.held_before
  from cursor u left join claimed c on true
  order by row_number() over (partition by c.workspace_id order by c.seq), c.workspace_id;
end $f$;

-- As in 0026, but soon after a crash nothing is claimed by its admission: a claim is what tells a takeover.
create or replace function inbox.admit(
  p_kind text, p_workspace uuid[], p_lane text[], p_seq bigint[], p_payload text[], p_room integer, p_lease_ms bigint)
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
    left join lateral (select 1 as yes from inbox.job j where j.kind = p_kind and j.lane = f.lane and j.attempt = 0 limit 1) ahead on true
    left join lateral (
      select j.due_at as until from inbox.job j where j.kind = p_kind and j.lane = f.lane and j.token is not null
      order by j.due_at desc limit 1) held on held.until > v_now
  ), placed as materialized (
    select h.*, h.free and count(*) filter (where h.free) over (order by h.seq, h.place) <= v_room as mine from head h
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
