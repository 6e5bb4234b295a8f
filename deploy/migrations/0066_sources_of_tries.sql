-- Which event a try was about, as `stream@revision`: a try leads back to its cause, and a message to the tries about it. Null for tries of
-- before, and of processes of before.
alter table webhooks.attempt add column source text collate "C";

-- As in 0013, with the source of each try.
create function webhooks.settle(
  p_endpoint uuid[], p_id bigint[], p_delay bigint[], p_counts boolean[],
  p_log_endpoint uuid[], p_log_delivery uuid[], p_log_event text[], p_log_attempt smallint[], p_log_outcome text[], p_log_status smallint[],
  p_log_error text[], p_log_ms integer[], p_log_at timestamptz[], p_log_source text[])
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
      from unnest(p_log_endpoint, p_log_delivery, p_log_event, p_log_attempt, p_log_outcome, p_log_status, p_log_error, p_log_ms, p_log_at,
        p_log_source) with ordinality g(e, delivery, event, attempt, outcome, status, error, ms, at, source, nth)
      join webhooks.queue q on q.endpoint_id = g.e
    ), kept as (
      insert into webhooks.attempt as a (
        endpoint_id, place, workspace_id, number, delivery_id, event, attempt, outcome, status, error, duration_ms, at, source)
      select g.e, g.number % 100, g.workspace_id, g.number, g.delivery, g.event, g.attempt, g.outcome, g.status, left(g.error, 200), g.ms, g.at,
        g.source
      from given g
      on conflict (endpoint_id, place) do update set number = excluded.number, delivery_id = excluded.delivery_id, event = excluded.event,
        attempt = excluded.attempt, outcome = excluded.outcome, status = excluded.status, error = excluded.error,
        duration_ms = excluded.duration_ms, at = excluded.at, source = excluded.source
      returning a.endpoint_id
    )
    update webhooks.queue q set tries = q.tries + n.logged
    from (select k.endpoint_id, count(*) as logged from kept k group by 1) n where q.endpoint_id = n.endpoint_id;
  end if;
end $f$;

-- Processes of before call it without sources. Places are used again: a source that stayed would be that of another try.
create or replace function webhooks.settle(
  p_endpoint uuid[], p_id bigint[], p_delay bigint[], p_counts boolean[],
  p_log_endpoint uuid[], p_log_delivery uuid[], p_log_event text[], p_log_attempt smallint[], p_log_outcome text[], p_log_status smallint[],
  p_log_error text[], p_log_ms integer[], p_log_at timestamptz[])
returns void language sql as $f$
  select webhooks.settle(p_endpoint, p_id, p_delay, p_counts, p_log_endpoint, p_log_delivery, p_log_event, p_log_attempt, p_log_outcome,
    p_log_status, p_log_error, p_log_ms, p_log_at, array_fill(null::text, array[cardinality(p_log_endpoint)]))
$f$;

-- Plans as for large tables, whatever was in them when a plan was made (see 0004).
alter function webhooks.settle(
  uuid[], bigint[], bigint[], boolean[], uuid[], uuid[], text[], smallint[], text[], smallint[], text[], integer[], timestamptz[], text[])
  set enable_seqscan = off set enable_bitmapscan = off set plan_cache_mode = force_generic_plan;
