-- Cheaper claims. A job that is admitted where there is a worker with room is claimed by the same insert; before, every job was inserted,
-- updated (never HOT: due_at is indexed) and deleted. And whether a lane is at work is one look at an index of what is held; before, it
-- was a walk over all that waits in the lane (2.2 million index tuples for some hundred jobs behind 500 deep lanes).

-- With due_at, so that only this index has the order that the look asks for and no plan made on an empty table takes another.
create index job_held on inbox.job (kind, lane, due_at) where token is not null;

-- Admits a batch, as before: a first attempt waits while its lane has another first attempt. The first `p_room` of those that need not
-- wait are claimed at once for `p_lease_ms`, none of a lane that is being worked on. Always at least one row: `fresh` is how many were new;
-- each claimed job is told by its place in the arrays, with its lane's number and its token.
create function inbox.admit(
  p_kind text, p_workspace uuid[], p_lane text[], p_seq bigint[], p_payload text[], p_room integer, p_lease_ms bigint)
returns table (fresh integer, place integer, lane bigint, token bigint)
language plpgsql as $f$
declare
  v_now timestamptz;
  v_token bigint := nextval('inbox.claim_token');
begin
  perform inbox.lock_kind(p_kind);
  v_now := clock_timestamp();
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
    select f.*, f.nth = 1 and ahead.yes is null as due, f.nth = 1 and ahead.yes is null and held.until is null as free
    from fresh f
    left join lateral (select 1 as yes from inbox.job j where j.kind = p_kind and j.lane = f.lane and j.attempt = 0 limit 1) ahead on true
    left join lateral (
      select j.due_at as until from inbox.job j where j.kind = p_kind and j.lane = f.lane and j.token is not null
      order by j.due_at desc limit 1) held on held.until > v_now
  ), placed as materialized (
    select h.*, h.free and count(*) filter (where h.free) over (order by h.seq, h.place) <= p_room as mine from head h
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

drop function inbox.admit(text, uuid[], text[], bigint[], text[]);

-- As before, but for the look at whether a lane is held.
create or replace function inbox.claim(p_kind text, p_limit integer, p_lease_ms bigint, p_after uuid)
returns table (lane bigint, seq bigint, token bigint, workspace_id uuid, attempt smallint, payload text, next_after uuid)
language plpgsql as $f$
declare
  v_now timestamptz;
  v_token bigint := nextval('inbox.claim_token');
begin
  perform inbox.lock_kind(p_kind);
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
  turn as materialized (select v.ws, greatest(1, p_limit / count(*) over ())::int as share from visited v where v.first_due <= v_now),
  candidate as materialized (
    select c.* from turn t cross join lateral (
      select j.ctid as at, j.lane, j.seq, j.due_at from inbox.job j
      where j.kind = p_kind and j.workspace_id = t.ws and j.due_at <= v_now order by j.due_at limit t.share) c
  ), sorted as materialized (
    select c.at, held.until is null and row_number() over (partition by c.lane order by c.due_at, c.seq) = 1 as free
    from candidate c left join lateral (
      select r.due_at as until from inbox.job r where r.kind = p_kind and r.lane = c.lane and r.token is not null
      order by r.due_at desc limit 1) held on held.until > v_now
  ), blocked as (
    -- A retry whose lane is busy comes back in a second, so that a crowd of them cannot hide the jobs behind.
    update inbox.job j set due_at = v_now + interval '1 second' from sorted s where not s.free and j.ctid = s.at
  ), claimed as (
    update inbox.job j set token = v_token, due_at = v_now + p_lease_ms * interval '1 millisecond' from sorted s
    where s.free and j.ctid = s.at and coalesce(j.due_at, 'infinity') <= v_now
    returning j.lane, j.seq, j.workspace_id, j.attempt, j.payload
  )
  select c.lane, c.seq, v_token, c.workspace_id, c.attempt, c.payload, u.ws
  from cursor u left join claimed c on true
  order by row_number() over (partition by c.workspace_id order by c.seq), c.workspace_id;
end $f$;

alter function inbox.admit(text, uuid[], text[], bigint[], text[], integer, bigint)
  set enable_seqscan = off set enable_bitmapscan = off set plan_cache_mode = force_generic_plan;
