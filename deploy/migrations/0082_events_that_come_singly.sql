-- What one event costs that comes alone: reads of streams are planned once, deliveries are admitted in the statement that moves the consumer's
-- checkpoint, and what becomes of a queue is computed under its lock.

-- The events of streams. Of each: from which revision on (null: from the end that the direction starts from), and how many (null: all). `asked`
-- says which stream, counted from 1, negative for a tombstone. The bounds come first, so that the scan of each stream is an index range and a
-- tombstone is seen even without events. Asked as a statement each read was planned anew, for 370 µs beside 70: arrays of unknown length seem dear.
create function es.read_forwards(p_stream text[], p_start integer[], p_limit integer[])
returns table (
  "position" bigint, stream_id text, revision integer, event_id uuid, type text, data text, meta text, created timestamptz, asked bigint)
language plpgsql stable set enable_seqscan = off set enable_bitmapscan = off set plan_cache_mode = force_generic_plan as $f$
begin
  return query
  with bound as materialized (
    select a.n, a.stream_id, a.start, a.how_many, coalesce(m.tombstoned, false) as tombstoned,
           greatest(0, m.deleted_before, m.truncate_before,
             case when m.max_count is not null
               then (select max(l.revision) from es.event l where l.stream_id = a.stream_id) + 1 - m.max_count end) as lowest,
           coalesce(now() - make_interval(secs => m.max_age_seconds), '-infinity') as oldest
    from unnest(p_stream, p_start, p_limit) with ordinality a(stream_id, start, how_many, n)
      left join es.stream_meta m on m.stream_id = a.stream_id
  )
  select e.position, e.stream_id, e.revision, e.event_id, e.type, e.data, e.meta, e.created, case when b.tombstoned then -b.n else b.n end
  from bound b left join lateral (
    select * from es.event s
    where s.stream_id = b.stream_id and s.revision >= b.lowest and s.created >= b.oldest and not b.tombstoned
      and s.revision >= coalesce(b.start, 0)
    order by s.revision asc limit b.how_many
  ) e on true;
end $f$;

create function es.read_backwards(p_stream text[], p_start integer[], p_limit integer[])
returns table (
  "position" bigint, stream_id text, revision integer, event_id uuid, type text, data text, meta text, created timestamptz, asked bigint)
language plpgsql stable set enable_seqscan = off set enable_bitmapscan = off set plan_cache_mode = force_generic_plan as $f$
begin
  return query
  with bound as materialized (
    select a.n, a.stream_id, a.start, a.how_many, coalesce(m.tombstoned, false) as tombstoned,
           greatest(0, m.deleted_before, m.truncate_before,
             case when m.max_count is not null
               then (select max(l.revision) from es.event l where l.stream_id = a.stream_id) + 1 - m.max_count end) as lowest,
           coalesce(now() - make_interval(secs => m.max_age_seconds), '-infinity') as oldest
    from unnest(p_stream, p_start, p_limit) with ordinality a(stream_id, start, how_many, n)
      left join es.stream_meta m on m.stream_id = a.stream_id
  )
  select e.position, e.stream_id, e.revision, e.event_id, e.type, e.data, e.meta, e.created, case when b.tombstoned then -b.n else b.n end
  from bound b left join lateral (
    select * from es.event s
    where s.stream_id = b.stream_id and s.revision >= b.lowest and s.created >= b.oldest and not b.tombstoned
      and s.revision <= coalesce(b.start, 2147483647)
    order by s.revision desc limit b.how_many
  ) e on true;
end $f$;

-- Admits a batch of event × endpoint, as `webhooks.admit`. Of each given delivery: -1 where `p_max` wait for its endpoint already; its id where
-- `p_owner` may begin it at once, else 0. It may where it holds the queue and nothing else that was not tried waits behind `p_after`, the last
-- that it has taken from there (null: it has no room). An endpoint whose queue went meanwhile gets nothing, and 0.
create function webhooks.admit_to_holder(
  p_endpoint uuid[], p_workspace uuid[], p_commit bigint[], p_prepare bigint[], p_event text[], p_source text[], p_max integer,
  p_owner uuid, p_after bigint[])
returns bigint[]
language plpgsql set enable_seqscan = off set enable_bitmapscan = off set plan_cache_mode = force_generic_plan as $f$
declare
  v_ids bigint[];
begin
  if exists (select from unnest(p_endpoint) g(e) where not exists (select from webhooks.queue q where q.endpoint_id = g.e)) then
    insert into webhooks.queue as q (endpoint_id, workspace_id)
    select distinct g.e, g.w from unnest(p_endpoint, p_workspace) g(e, w) order by g.e on conflict do nothing;
  end if;
  perform from webhooks.queue q where q.endpoint_id = any (p_endpoint) order by q.endpoint_id for update;
  with given as materialized (
    select g.*, q.waiting + row_number() over (partition by g.e order by g.c, g.p) as place,
      p_after[g.nth] is not null and q.owner = p_owner and q.lease_until > clock_timestamp() as is_held
    from unnest(p_endpoint, p_workspace, p_commit, p_prepare, p_event, p_source) with ordinality g(e, w, c, p, event, source, nth)
    join webhooks.queue q on q.endpoint_id = g.e
  ), taken_up_to as materialized (
    select h.e from (select g.e, min(p_after[g.nth]) as after from given g where g.is_held group by g.e) h
    where not exists (select from webhooks.delivery d where d.endpoint_id = h.e and d.id > h.after and d.due_at is null)
  ), written as (
    insert into webhooks.delivery as d (endpoint_id, workspace_id, position_commit, position_prepare, event, source)
    select g.e, g.w, g.c, g.p, g.event, g.source from given g where g.place <= p_max order by g.c, g.p
    on conflict do nothing returning d.endpoint_id, d.position_commit, d.position_prepare, d.event, d.id
  ), counted as (
    update webhooks.queue q set waiting = q.waiting + n.fresh, lease_until = case when q.owner is not null then q.lease_until end
    from (select w.endpoint_id, count(*)::integer as fresh from written w group by 1) n where q.endpoint_id = n.endpoint_id
  )
  select coalesce(array_agg(case when g.place > p_max then -1 when t.e is null then 0 else coalesce(w.id, 0) end order by n), '{}') into v_ids
  from generate_subscripts(p_endpoint, 1) n left join given g on g.nth = n left join taken_up_to t on t.e = g.e
    left join written w on w.endpoint_id = g.e and w.position_commit = g.c and w.position_prepare = g.p and w.event = g.event;
  return v_ids;
end $f$;

-- As in 0028; but the rows are locked first: one statement would see deliveries as of its start, and what a transaction that held the row
-- has admitted since would wait until the next admission.
create or replace function webhooks.release(p_owner uuid, p_endpoint uuid[]) returns void language plpgsql as $f$
begin
  perform from webhooks.queue q where q.owner = p_owner and q.endpoint_id = any (p_endpoint) order by q.endpoint_id for update;
  update webhooks.queue q set owner = null, lease_until = case
    when exists (select from webhooks.delivery d where d.endpoint_id = q.endpoint_id and d.due_at is null) then null
    else (select min(d.due_at) from webhooks.delivery d where d.endpoint_id = q.endpoint_id and d.due_at is not null) end
  where q.owner = p_owner and q.endpoint_id = any (p_endpoint);
end $f$;

-- As in 0028, and for the same reason as above the free queues are locked before what is in them is looked at.
create or replace function webhooks.take(
  p_owner uuid, p_lease_ms bigint, p_new integer, p_endpoint uuid[], p_after bigint[], p_room integer[], p_held bigint[], p_new_room integer)
returns table (
  endpoint_id uuid, workspace_id uuid, id bigint, position_commit bigint, position_prepare bigint, event text, source text, attempt smallint,
  retried boolean)
language plpgsql set enable_seqscan = off set enable_bitmapscan = off set plan_cache_mode = force_generic_plan as $f$
declare
  v_now timestamptz := clock_timestamp();
  v_free uuid[];
begin
  perform set_config('synchronous_commit', 'off', true);
  if p_new > 0 then
    v_free := array(
      select q.endpoint_id from webhooks.queue q where q.free_at < v_now order by q.free_at limit 8 * p_new for update skip locked);
  end if;
  return query
  with free as materialized (
    select q.endpoint_id, q.workspace_id from unnest(v_free) with ordinality f(e, nth) join webhooks.queue q on q.endpoint_id = f.e order by f.nth
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
