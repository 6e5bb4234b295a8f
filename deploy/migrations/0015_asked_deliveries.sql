-- Deliveries of webhooks that people ask for (tests, and deliveries again), and what became of the tries of each endpoint within a day.
--
-- A delivery that was asked for is a row like any other: `source` says so (domain/src/webhooks/asked-deliveries.ts), and its position is before the log, so that
-- a process of an earlier version, which knows no such delivery, finds that the endpoint wants nothing of it, and a pause drops it.

-- The last deliveries that were asked for: as many as may be in a minute.
alter table webhooks.queue add column asked_id uuid[] not null default '{}', add column asked_at timestamptz[] not null default '{}';

create table webhooks.outcomes (
  endpoint_id  uuid not null,
  slot         smallint not null,         -- ten minutes, one of 150, used again and again: bounded by construction
  workspace_id uuid not null,
  since        timestamptz not null,      -- when these ten minutes begin
  delivered    integer not null,
  retrying     integer not null,
  dropped      integer not null,
  primary key (endpoint_id, slot)
) with (fillfactor = 70);
comment on table webhooks.outcomes is 'One row is how the tries of an endpoint went within ten minutes of the last day.';

-- Counts tries, in the statement that settles their deliveries. The queue rows are locked by then.
create function webhooks.count_outcomes(p_endpoint uuid[], p_delivered integer[], p_retrying integer[], p_dropped integer[]) returns void
language sql as $f$
  insert into webhooks.outcomes as o (endpoint_id, slot, workspace_id, since, delivered, retrying, dropped)
  select g.e, extract(epoch from n.since)::bigint / 600 % 150, q.workspace_id, n.since, g.delivered, g.retrying, g.dropped
  from unnest(p_endpoint, p_delivered, p_retrying, p_dropped) g(e, delivered, retrying, dropped)
  join webhooks.queue q on q.endpoint_id = g.e
  cross join (select date_bin('10 minutes', clock_timestamp(), 'epoch') as since) n
  order by g.e
  on conflict (endpoint_id, slot) do update set since = excluded.since,
    delivered = excluded.delivered + case when o.since = excluded.since then o.delivered else 0 end,
    retrying = excluded.retrying + case when o.since = excluded.since then o.retrying else 0 end,
    dropped = excluded.dropped + case when o.since = excluded.since then o.dropped else 0 end
$f$;

-- Asks for a delivery. Answers `asked`; `waits` where it waits already, and is due now; `repeated` where it was asked for within ten seconds: that is the same press;
-- `too_many` where `p_a_minute` were asked for within a minute, or a hundred wait; `gone` for the queue of another workspace.
-- `p_event_source` is what the delivery has in `source` where the log made it.
create function webhooks.ask_delivery(
  p_endpoint uuid, p_workspace uuid, p_delivery uuid, p_event text, p_source text, p_event_source text, p_a_minute integer)
returns text language plpgsql as $f$
declare
  v_now timestamptz;
  v_ids uuid[];
  v_ats timestamptz[];
begin
  insert into webhooks.queue (endpoint_id, workspace_id) values (p_endpoint, p_workspace) on conflict do nothing;
  perform from webhooks.queue q where q.endpoint_id = p_endpoint and q.workspace_id = p_workspace for update;
  if not found then return 'gone'; end if;
  v_now := clock_timestamp();
  -- A clock that was ahead has left moments that are not to come for long.
  select coalesce(array_agg(a.id order by a.nth), '{}'), coalesce(array_agg(a.at order by a.nth), '{}') into v_ids, v_ats
  from webhooks.queue q cross join unnest(q.asked_id, q.asked_at) with ordinality a(id, at, nth)
  where q.endpoint_id = p_endpoint and a.at > v_now - interval '1 minute' and a.at < v_now + interval '1 minute';
  if exists (select from unnest(v_ids, v_ats) a(id, at) where a.id = p_delivery and a.at > v_now - interval '10 seconds') then return 'repeated'; end if;
  if cardinality(v_ids) >= p_a_minute then return 'too_many'; end if;
  if (select count(*) from (select from webhooks.delivery d where d.endpoint_id = p_endpoint and d.position_commit = 0 limit 100) w) = 100 then
    return 'too_many';
  end if;
  update webhooks.queue q set asked_id = v_ids || p_delivery, asked_at = v_ats || v_now,
    lease_until = case when q.owner is not null then q.lease_until end
  where q.endpoint_id = p_endpoint;
  update webhooks.delivery d set due_at = v_now
  where d.endpoint_id = p_endpoint and d.event = p_event and d.source in (p_source, p_event_source);
  if found then return 'waits'; end if;
  insert into webhooks.delivery (endpoint_id, workspace_id, position_commit, position_prepare, event, source, due_at)
  values (p_endpoint, p_workspace, 0, ('x' || substr(md5(p_delivery::text), 1, 15))::bit(60)::bigint, p_event, p_source, v_now);
  update webhooks.queue q set waiting = q.waiting + 1 where q.endpoint_id = p_endpoint;
  return 'asked';
end $f$;

-- As before, with the outcomes of a deleted endpoint.
create or replace function webhooks.drop_waiting(p_endpoint uuid, p_commit bigint, p_prepare bigint, p_all boolean) returns void
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
    delete from webhooks.outcomes o where o.endpoint_id = p_endpoint;
    delete from webhooks.queue q where q.endpoint_id = p_endpoint;
  end if;
end $f$;
