-- Looks that cost the same whatever waits: what a scrape of /metrics reads, and where the next webhook queue is.

-- The oldest job of a kind, and those that are tried again.
create index job_age on inbox.job (kind, admitted_at);
create index job_retried on inbox.job (kind) where attempt > 0;

-- From when on a queue may be taken by somebody: null where nothing waits, the end of its lease, or any time. A queue that nobody holds has a
-- `lease_until` too where all that waits there is due later. `waiting` itself is in no index, and `lease_until` changes seldom: the updates
-- of admitting and settling stay HOT.
alter table webhooks.queue add column free_at timestamptz
  generated always as (case when waiting > 0 then coalesce(lease_until, '-infinity') end) stored;
create index queue_free on webhooks.queue (free_at) where free_at is not null;
create index queue_workspace on webhooks.queue (workspace_id);

-- Lets others have the queues of an owner: at once, or when the first of what waits is due.
create function webhooks.release(p_owner uuid, p_endpoint uuid[]) returns void language sql as $f$
  update webhooks.queue q set owner = null, lease_until = case
    when exists (select from webhooks.delivery d where d.endpoint_id = q.endpoint_id and d.due_at is null) then null
    else (select min(d.due_at) from webhooks.delivery d where d.endpoint_id = q.endpoint_id and d.due_at is not null) end
  where q.owner = p_owner and q.endpoint_id = any (p_endpoint)
$f$;

-- As in 0013; and a queue that nobody holds may be taken at once.
create or replace function webhooks.admit(
  p_endpoint uuid[], p_workspace uuid[], p_commit bigint[], p_prepare bigint[], p_event text[], p_source text[], p_max integer)
returns table (endpoint_id uuid, dropped integer)
language plpgsql as $f$
begin
  insert into webhooks.queue as q (endpoint_id, workspace_id)
  select distinct g.e, g.w from unnest(p_endpoint, p_workspace) g(e, w) order by g.e on conflict do nothing;
  perform from webhooks.queue q where q.endpoint_id = any (p_endpoint) order by q.endpoint_id for update;
  return query
  with given as materialized (
    select g.*, q.waiting + row_number() over (partition by g.e order by g.c, g.p) as place
    from unnest(p_endpoint, p_workspace, p_commit, p_prepare, p_event, p_source) g(e, w, c, p, event, source)
    join webhooks.queue q on q.endpoint_id = g.e
  ), written as (
    insert into webhooks.delivery as d (endpoint_id, workspace_id, position_commit, position_prepare, event, source)
    select g.e, g.w, g.c, g.p, g.event, g.source from given g where g.place <= p_max order by g.c, g.p
    on conflict do nothing returning d.endpoint_id
  ), counted as (
    update webhooks.queue q set waiting = q.waiting + n.fresh, lease_until = case when q.owner is not null then q.lease_until end
    from (select w.endpoint_id, count(*)::integer as fresh from written w group by 1) n where q.endpoint_id = n.endpoint_id
  )
  select g.e, count(*)::integer from given g where g.place > p_max group by g.e;
end $f$;

-- As in 0015, by the index of queues that are free: so many are looked at that `p_new` are likely among them, whatever waits. One that nothing
-- can be taken from now (all of it is due later, or its workspace is held) is free later, and stands in nobody's way until then.
create or replace function webhooks.take(
  p_owner uuid, p_lease_ms bigint, p_new integer, p_endpoint uuid[], p_after bigint[], p_room integer[], p_held bigint[], p_new_room integer)
returns table (
  endpoint_id uuid, workspace_id uuid, id bigint, position_commit bigint, position_prepare bigint, event text, source text, attempt smallint,
  retried boolean)
language plpgsql set enable_seqscan = off set enable_bitmapscan = off set plan_cache_mode = force_generic_plan as $f$
declare
  v_now timestamptz := clock_timestamp();
begin
  perform set_config('synchronous_commit', 'off', true);
  return query
  with free as materialized (
    select q.endpoint_id, q.workspace_id from webhooks.queue q where p_new > 0 and q.free_at < v_now
    order by q.free_at limit 8 * p_new for update skip locked
  ), looked as materialized (
    select f.endpoint_id, case
      when (select 1 from webhooks.held_workspace h where h.workspace_id = f.workspace_id limit 1) is not null then v_now + interval '1 minute'
      when (select 1 from webhooks.delivery d where d.endpoint_id = f.endpoint_id and d.due_at is null limit 1) is not null then '-infinity'
      else (select d.due_at from webhooks.delivery d where d.endpoint_id = f.endpoint_id and d.due_at is not null order by d.due_at limit 1)
      end as due
    from free f
  ), later as (
    update webhooks.queue q set owner = null, lease_until = coalesce(l.due, v_now + interval '1 minute')
    from looked l where q.endpoint_id = l.endpoint_id and (l.due > v_now or l.due is null)
  ), claimed as (
    update webhooks.queue q set owner = p_owner, lease_until = v_now + p_lease_ms * interval '1 millisecond'
    from (select l.endpoint_id from looked l where l.due <= v_now limit p_new) f where q.endpoint_id = f.endpoint_id returning q.endpoint_id
  ), mine as (
    select g.e, g.after, g.room from unnest(p_endpoint, p_after, p_room) g(e, after, room)
    where not exists (
      select from webhooks.queue q join webhooks.held_workspace h on h.workspace_id = q.workspace_id where q.endpoint_id = g.e)
    union all select c.endpoint_id, 0, p_new_room from claimed c
  )
  select j.endpoint_id, j.workspace_id, j.id, j.position_commit, j.position_prepare, j.event, j.source, j.attempt, j.retried
  from mine m cross join lateral (
    (select d.*, true as retried from webhooks.delivery d
     where d.endpoint_id = m.e and d.due_at <= v_now and d.id <> all (p_held) order by d.due_at limit m.room)
    union all
    (select d.*, false from webhooks.delivery d
     where d.endpoint_id = m.e and d.id > m.after and d.due_at is null order by d.id limit m.room)
  ) j;
end $f$;

-- What waits, per kind that has any: at most `p_limit` jobs of each are counted, so that it costs the same whatever waits.
create function inbox.depth(p_limit integer)
returns table (kind text, waiting integer, retrying integer, oldest timestamptz)
language plpgsql stable set enable_seqscan = off set enable_bitmapscan = off set plan_cache_mode = force_generic_plan as $f$
begin
  return query
  with recursive kinds(name) as (
    (select j.kind from inbox.job j order by j.kind limit 1)
    union all
    select n.kind from kinds k cross join lateral (select j.kind from inbox.job j where j.kind > k.name order by j.kind limit 1) n
  )
  select k.name,
    (select count(*)::integer from (select from inbox.job j where j.kind = k.name order by j.admitted_at limit p_limit) c),
    (select count(*)::integer from (select from inbox.job j where j.kind = k.name and j.attempt > 0 limit p_limit) c),
    (select j.admitted_at from inbox.job j where j.kind = k.name order by j.admitted_at limit 1)
  from kinds k order by k.name;
end $f$;

-- The same of the webhook queues: `queues` that something waits in, of which at most `p_limit` are looked at.
create function webhooks.depth(p_limit integer)
returns table (queues integer, waiting bigint, longest integer)
language plpgsql stable set enable_seqscan = off set enable_bitmapscan = off set plan_cache_mode = force_generic_plan as $f$
begin
  return query
  select count(*)::integer, coalesce(sum(c.waiting), 0)::bigint, coalesce(max(c.waiting), 0)
  from (select q.waiting from webhooks.queue q where q.free_at is not null order by q.free_at limit p_limit) c;
end $f$;
