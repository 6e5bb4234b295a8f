-- Deliveries of webhooks that wait, and what became of the last ones. A row names an event and an endpoint; what is sent is made from the
-- log when it is sent, so nothing here is personal or secret. Like the inbox it may fall back to an earlier moment of itself, together with
-- the checkpoint of the consumer that fills it: a delivery then comes again, under the same id.
create schema if not exists webhooks;

-- One row an endpoint that ever had a delivery. Whoever holds it (`owner`, until `lease_until`) delivers all that waits there: so nothing
-- is written to claim a delivery. `waiting` counts the endpoint's rows in webhooks.delivery exactly; `tries` is how many were logged.
create table webhooks.queue (
  endpoint_id uuid primary key,
  workspace_id uuid not null,
  waiting integer not null default 0,
  tries bigint not null default 0,
  owner uuid,
  lease_until timestamptz
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);

-- `due_at` null: not tried yet, taken in the order of `id`. Rows of one endpoint are inserted under the lock of its queue row, so that order
-- is also the order in which they become visible.
create table webhooks.delivery (
  endpoint_id uuid not null,
  id bigint generated always as identity (cache 1),
  workspace_id uuid not null,
  position_commit bigint not null,
  position_prepare bigint not null,
  event text collate "C" not null,
  source text collate "C" not null,
  attempt smallint not null default 0,
  due_at timestamptz,
  admitted_at timestamptz not null default clock_timestamp(),
  primary key (endpoint_id, id)
) with (
  fillfactor = 90, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_cost_delay = 0,
  autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 100000, autovacuum_analyze_scale_factor = 0,
  autovacuum_analyze_threshold = 20000
);
create unique index delivery_once on webhooks.delivery (endpoint_id, position_commit, position_prepare, event);
create index delivery_due on webhooks.delivery (endpoint_id, due_at) where due_at is not null;

-- The last tries of each endpoint, in a ring of 100 places: bounded by construction.
create table webhooks.attempt (
  endpoint_id uuid not null,
  place smallint not null,
  workspace_id uuid not null,
  number bigint not null,
  delivery_id uuid not null,
  event text collate "C" not null,
  attempt smallint not null,
  outcome text collate "C" not null check (outcome in ('delivered', 'retrying', 'dropped')),
  status smallint,
  error text,
  duration_ms integer not null,
  at timestamptz not null,
  primary key (endpoint_id, place)
) with (fillfactor = 70);

-- Admits a batch of event × endpoint. What would make more than `p_max` wait for one endpoint is left out: the answer says how many.
create function webhooks.admit(
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
    update webhooks.queue q set waiting = q.waiting + n.fresh
    from (select w.endpoint_id, count(*)::integer as fresh from written w group by 1) n where q.endpoint_id = n.endpoint_id
  )
  select g.e, count(*)::integer from given g where g.place > p_max group by g.e;
end $f$;

-- Hands out what is due at the queues that `p_owner` holds (`p_endpoint`, each from behind `p_after` on, `p_room` at most, none of `p_held`),
-- and makes it the holder of up to `p_new` more that nobody holds.
create function webhooks.take(
  p_owner uuid, p_lease_ms bigint, p_new integer, p_endpoint uuid[], p_after bigint[], p_room integer[], p_held bigint[], p_new_room integer)
returns table (
  endpoint_id uuid, workspace_id uuid, id bigint, position_commit bigint, position_prepare bigint, event text, source text, attempt smallint,
  retried boolean)
language plpgsql as $f$
declare
  v_now timestamptz := clock_timestamp();
begin
  perform set_config('synchronous_commit', 'off', true);
  return query
  with free as materialized (
    select q.endpoint_id from webhooks.queue q
    where p_new > 0 and q.waiting > 0 and coalesce(q.lease_until, '-infinity') < v_now
      and (exists (select from webhooks.delivery d where d.endpoint_id = q.endpoint_id and d.due_at is null)
        or exists (select from webhooks.delivery d where d.endpoint_id = q.endpoint_id and d.due_at <= v_now))
    limit p_new for update skip locked
  ), claimed as (
    update webhooks.queue q set owner = p_owner, lease_until = v_now + p_lease_ms * interval '1 millisecond'
    from free f where q.endpoint_id = f.endpoint_id returning q.endpoint_id
  ), mine as (
    select g.e, g.after, g.room from unnest(p_endpoint, p_after, p_room) g(e, after, room)
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

-- Takes what a holder is through with. `p_delay` null: gone for good. Otherwise due again after so many milliseconds; `p_counts`: as a further
-- attempt. The arrays `p_log_…` are the tries to keep.
create function webhooks.settle(
  p_endpoint uuid[], p_id bigint[], p_delay bigint[], p_counts boolean[],
  p_log_endpoint uuid[], p_log_delivery uuid[], p_log_event text[], p_log_attempt smallint[], p_log_outcome text[], p_log_status smallint[],
  p_log_error text[], p_log_ms integer[], p_log_at timestamptz[])
returns void language plpgsql as $f$
begin
  perform set_config('synchronous_commit', 'off', true);
  perform from webhooks.queue q where q.endpoint_id = any (p_endpoint || p_log_endpoint) order by q.endpoint_id for update;
  with gone as (
    delete from webhooks.delivery d using unnest(p_endpoint, p_id, p_delay) g(e, id, delay)
    where g.delay is null and d.endpoint_id = g.e and d.id = g.id returning d.endpoint_id
  )
  update webhooks.queue q set waiting = greatest(0, q.waiting - n.done)
  from (select g.endpoint_id, count(*)::integer as done from gone g group by 1) n where q.endpoint_id = n.endpoint_id;
  if cardinality(array_remove(p_delay, null)) > 0 then
    update webhooks.delivery d set due_at = clock_timestamp() + g.delay * interval '1 millisecond', attempt = d.attempt + g.counts::int
    from unnest(p_endpoint, p_id, p_delay, p_counts) g(e, id, delay, counts)
    where g.delay is not null and d.endpoint_id = g.e and d.id = g.id;
  end if;
  if cardinality(p_log_endpoint) > 0 then
    with given as (
      select g.*, q.workspace_id, q.tries + row_number() over (partition by g.e order by g.nth) as number
      from unnest(p_log_endpoint, p_log_delivery, p_log_event, p_log_attempt, p_log_outcome, p_log_status, p_log_error, p_log_ms, p_log_at)
        with ordinality g(e, delivery, event, attempt, outcome, status, error, ms, at, nth)
      join webhooks.queue q on q.endpoint_id = g.e
    ), kept as (
      insert into webhooks.attempt as a (
        endpoint_id, place, workspace_id, number, delivery_id, event, attempt, outcome, status, error, duration_ms, at)
      select g.e, g.number % 100, g.workspace_id, g.number, g.delivery, g.event, g.attempt, g.outcome, g.status, left(g.error, 200), g.ms, g.at
      from given g
      on conflict (endpoint_id, place) do update set number = excluded.number, delivery_id = excluded.delivery_id, event = excluded.event,
        attempt = excluded.attempt, outcome = excluded.outcome, status = excluded.status, error = excluded.error,
        duration_ms = excluded.duration_ms, at = excluded.at
      returning a.endpoint_id
    )
    update webhooks.queue q set tries = q.tries + n.logged
    from (select k.endpoint_id, count(*) as logged from kept k group by 1) n where q.endpoint_id = n.endpoint_id;
  end if;
end $f$;

-- Drops what waited for an endpoint up to a place in the log: it was paused or deleted there. `p_all`: with its log of tries.
create function webhooks.drop_waiting(p_endpoint uuid, p_commit bigint, p_prepare bigint, p_all boolean) returns void
language plpgsql as $f$
begin
  perform from webhooks.queue q where q.endpoint_id = p_endpoint for update;
  with gone as (
    delete from webhooks.delivery d where d.endpoint_id = p_endpoint and (d.position_commit, d.position_prepare) <= (p_commit, p_prepare)
    returning 1
  )
  update webhooks.queue q set waiting = greatest(0, q.waiting - (select count(*)::integer from gone)) where q.endpoint_id = p_endpoint;
  if p_all then
    delete from webhooks.attempt a where a.endpoint_id = p_endpoint;
    delete from webhooks.queue q where q.endpoint_id = p_endpoint;
  end if;
end $f$;

-- Plans as for large tables, whatever was in them when a plan was made (see 0004).
alter function webhooks.take set enable_seqscan = off set enable_bitmapscan = off set plan_cache_mode = force_generic_plan;
alter function webhooks.settle set enable_seqscan = off set enable_bitmapscan = off set plan_cache_mode = force_generic_plan;
