-- Deliveries of webhooks that wait, and the outcomes of the last ones (consumers). A row names an event and an endpoint; what is sent is made from the log when
-- it is sent, so nothing here is personal or secret. Like the inbox it may fall back to an earlier moment of itself, together with the checkpoint of the
-- consumer that fills it: a delivery then comes again, under the same id.
--
-- Functions plan as for large tables, whatever was in them when a plan was made: see inbox.job.

create schema webhooks;

-- The holder of the queue (`owner`, until `lease_until`) delivers all that waits there: so nothing is written to claim a delivery. A queue without an owner has a
-- `lease_until` too where all that waits there is due later. `waiting` is in no index, and `lease_until` changes seldom: the updates of admitting and
-- settling stay HOT.
create table webhooks.queue (
  endpoint_id  uuid primary key,
  workspace_id uuid not null,
  waiting      integer not null default 0,  -- exactly the rows of the endpoint in webhooks.delivery
  tries        bigint not null default 0,   -- how many were logged
  owner        uuid,
  lease_until  timestamptz,
  -- From when on another process may take the queue: null where nothing waits.
  free_at      timestamptz generated always as (case when waiting > 0 then coalesce(lease_until, '-infinity') end) stored
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);
comment on table webhooks.queue is
  'One row is an endpoint that ever had a delivery: how many wait, and which process delivers them.';
create index queue_free on webhooks.queue (free_at) where free_at is not null;
create index queue_workspace on webhooks.queue (workspace_id);

-- Rows of one endpoint are inserted under the lock of its queue row, so that the order of `id` is also the order in which they become visible.
create table webhooks.delivery (
  endpoint_id      uuid not null,
  id               bigint generated always as identity (cache 1),
  workspace_id     uuid not null,
  position_commit  bigint not null,
  position_prepare bigint not null,
  event            text collate "C" not null,
  source           text collate "C" not null,
  attempt          smallint not null default 0,
  due_at           timestamptz,                  -- null: not tried yet, taken in the order of `id`
  admitted_at      timestamptz not null default clock_timestamp(),
  primary key (endpoint_id, id)
) with (
  fillfactor = 90, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_cost_delay = 0,
  autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 100000, autovacuum_analyze_scale_factor = 0,
  autovacuum_analyze_threshold = 20000
);
comment on table webhooks.delivery is 'One row is an event that waits for its delivery to an endpoint; never content.';
create unique index delivery_once on webhooks.delivery (endpoint_id, position_commit, position_prepare, event);
create index delivery_due on webhooks.delivery (endpoint_id, due_at) where due_at is not null;

create table webhooks.attempt (
  endpoint_id  uuid not null,
  slot         smallint not null,         -- one of 100, used again and again: bounded by construction
  workspace_id uuid not null,
  number       bigint not null,
  delivery_id  uuid not null,
  event        text collate "C" not null,
  source       text collate "C",          -- the event, as `stream@revision`: an attempt leads back to its cause, and a message to the attempts about it
  attempt      smallint not null,
  outcome      text collate "C" not null check (outcome in ('delivered', 'retrying', 'dropped')),
  status       smallint,
  error        text,
  duration_ms  integer not null,
  at           timestamptz not null,
  primary key (endpoint_id, slot)
) with (fillfactor = 70);
comment on table webhooks.attempt is 'One row is one of the last 100 attempts of an endpoint.';

create table webhooks.suspended_workspace (
  workspace_id uuid primary key
);
comment on table webhooks.suspended_workspace is 'One row is a suspended workspace: its deliveries wait until it is active again, or closed.';

-- Follows the status of a workspace. What waits for one that is closed is handed out, and the process that gets it drops it: no statement has to delete millions at
-- once.
create function webhooks.set_workspace_status(p_workspace uuid, p_status text) returns void language sql as $f$
  delete from webhooks.suspended_workspace s where s.workspace_id = p_workspace and p_status <> 'suspended';
  insert into webhooks.suspended_workspace (workspace_id) select p_workspace where p_status = 'suspended' on conflict do nothing;
$f$;

-- Admits a batch of event × endpoint. Answers of each given delivery: -1 where `p_max` wait for its endpoint already; its id where `p_owner` may begin it at once,
-- otherwise 0. The owner may where it holds the queue and nothing else that was not tried waits behind `p_after`, the last that it has taken from there (null:
-- it has no room). A queue that has no owner may be taken at once. An endpoint whose queue went meanwhile gets nothing, and 0.
create function webhooks.admit(
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
    select g.*, q.waiting + row_number() over (partition by g.e order by g.c, g.p) as nth_waiting,
      p_after[g.nth] is not null and q.owner = p_owner and q.lease_until > clock_timestamp() as is_owned
    from unnest(p_endpoint, p_workspace, p_commit, p_prepare, p_event, p_source) with ordinality g(e, w, c, p, event, source, nth)
    join webhooks.queue q on q.endpoint_id = g.e
  ), taken_up_to as materialized (
    select h.e from (select g.e, min(p_after[g.nth]) as after from given g where g.is_owned group by g.e) h
    where not exists (select from webhooks.delivery d where d.endpoint_id = h.e and d.id > h.after and d.due_at is null)
  ), written as (
    insert into webhooks.delivery as d (endpoint_id, workspace_id, position_commit, position_prepare, event, source)
    select g.e, g.w, g.c, g.p, g.event, g.source from given g where g.nth_waiting <= p_max order by g.c, g.p
    on conflict do nothing returning d.endpoint_id, d.position_commit, d.position_prepare, d.event, d.id
  ), counted as (
    update webhooks.queue q set waiting = q.waiting + n.added, lease_until = case when q.owner is not null then q.lease_until end
    from (select w.endpoint_id, count(*)::integer as added from written w group by 1) n where q.endpoint_id = n.endpoint_id
  )
  select coalesce(array_agg(case when g.nth_waiting > p_max then -1 when t.e is null then 0 else coalesce(w.id, 0) end order by n), '{}') into v_ids
  from generate_subscripts(p_endpoint, 1) n left join given g on g.nth = n left join taken_up_to t on t.e = g.e
    left join written w on w.endpoint_id = g.e and w.position_commit = g.c and w.position_prepare = g.p and w.event = g.event;
  return v_ids;
end $f$;

-- Hands out what is due at the queues that `p_owner` holds (`p_endpoint`, each from behind `p_after` on, `p_room` at most, none of `p_claimed`), and makes it the
-- holder of up to `p_new` more that are free. The index of free queues names them: so many are looked at that `p_new` are likely among them, whatever waits.
-- A queue that nothing can be taken from now (all of it is due later, or its workspace is suspended) is free later. The free queues are locked before what is in
-- them is looked at: one statement would see deliveries as of its start, and what a transaction that had the lock has admitted since would wait until
-- the next admission.
create function webhooks.take_deliveries(
  p_owner uuid, p_lease_ms bigint, p_new integer, p_endpoint uuid[], p_after bigint[], p_room integer[], p_claimed bigint[], p_new_room integer)
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
      when (select 1 from webhooks.suspended_workspace s where s.workspace_id = f.workspace_id limit 1) is not null then v_now + interval '1 minute'
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
      select from webhooks.queue q join webhooks.suspended_workspace s on s.workspace_id = q.workspace_id where q.endpoint_id = g.e)
    union all select c.endpoint_id, 0, p_new_room from claimed c
  )
  select j.endpoint_id, j.workspace_id, j.id, j.position_commit, j.position_prepare, j.event, j.source, j.attempt, j.retried
  from mine m cross join lateral (
    (select d.*, true as retried from webhooks.delivery d
     where d.endpoint_id = m.e and d.due_at <= v_now and d.id <> all (p_claimed) order by d.due_at limit m.room)
    union all
    (select d.*, false from webhooks.delivery d
     where d.endpoint_id = m.e and d.id > m.after and d.due_at is null order by d.id limit m.room)
  ) j;
end $f$;

-- Takes what a holder is through with. `p_delay` null: gone for good. Otherwise due again after so many milliseconds, with `p_counts` as a further attempt. The
-- arrays `p_log_…` are the attempts to keep.
create function webhooks.settle_deliveries(
  p_endpoint uuid[], p_id bigint[], p_delay bigint[], p_counts boolean[],
  p_log_endpoint uuid[], p_log_delivery uuid[], p_log_event text[], p_log_attempt smallint[], p_log_outcome text[], p_log_status smallint[],
  p_log_error text[], p_log_ms integer[], p_log_at timestamptz[], p_log_source text[])
returns void language plpgsql set enable_seqscan = off set enable_bitmapscan = off set plan_cache_mode = force_generic_plan as $f$
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
      from unnest(p_log_endpoint, p_log_delivery, p_log_event, p_log_attempt, p_log_outcome, p_log_status, p_log_error, p_log_ms, p_log_at,
        p_log_source) with ordinality g(e, delivery, event, attempt, outcome, status, error, ms, at, source, nth)
      join webhooks.queue q on q.endpoint_id = g.e
    ), kept as (
      insert into webhooks.attempt as a (
        endpoint_id, slot, workspace_id, number, delivery_id, event, attempt, outcome, status, error, duration_ms, at, source)
      select g.e, g.number % 100, g.workspace_id, g.number, g.delivery, g.event, g.attempt, g.outcome, g.status, left(g.error, 200), g.ms, g.at,
        g.source
      from given g
      on conflict (endpoint_id, slot) do update set number = excluded.number, delivery_id = excluded.delivery_id, event = excluded.event,
        attempt = excluded.attempt, outcome = excluded.outcome, status = excluded.status, error = excluded.error,
        duration_ms = excluded.duration_ms, at = excluded.at, source = excluded.source
      returning a.endpoint_id
    )
    update webhooks.queue q set tries = q.tries + n.logged
    from (select k.endpoint_id, count(*) as logged from kept k group by 1) n where q.endpoint_id = n.endpoint_id;
  end if;
end $f$;

-- Lets other processes have the queues of an owner: at once, or when the first of what waits is due. The rows are locked first, as in take_deliveries.
create function webhooks.release_queues(p_owner uuid, p_endpoint uuid[]) returns void language plpgsql as $f$
begin
  perform from webhooks.queue q where q.owner = p_owner and q.endpoint_id = any (p_endpoint) order by q.endpoint_id for update;
  update webhooks.queue q set owner = null, lease_until = case
    when exists (select from webhooks.delivery d where d.endpoint_id = q.endpoint_id and d.due_at is null) then null
    else (select min(d.due_at) from webhooks.delivery d where d.endpoint_id = q.endpoint_id and d.due_at is not null) end
  where q.owner = p_owner and q.endpoint_id = any (p_endpoint);
end $f$;

-- Drops what waited for an endpoint up to a position of the log, where it was paused or deleted. `p_all`: with its attempts.
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

-- Answers how many queues something waits in, of which at most `p_limit` are looked at, and what waits there.
create function webhooks.depth(p_limit integer)
returns table (queues integer, waiting bigint, longest integer)
language plpgsql stable set enable_seqscan = off set enable_bitmapscan = off set plan_cache_mode = force_generic_plan as $f$
begin
  return query
  select count(*)::integer, coalesce(sum(c.waiting), 0)::bigint, coalesce(max(c.waiting), 0)
  from (select q.waiting from webhooks.queue q where q.free_at is not null order by q.free_at limit p_limit) c;
end $f$;
