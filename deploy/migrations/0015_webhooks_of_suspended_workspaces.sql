-- Workspaces that are suspended: what waits for their webhook endpoints is handed to nobody until they are active again, or closed.
create table webhooks.held_workspace (
  workspace_id uuid primary key
);

-- What became of a workspace. What waits for one that is closed is handed out, and whoever gets it drops it: no statement has to delete
-- millions at once.
create function webhooks.workspace_becomes(p_workspace uuid, p_status text) returns void language sql as $f$
  delete from webhooks.held_workspace h where h.workspace_id = p_workspace and p_status <> 'suspended';
  insert into webhooks.held_workspace (workspace_id) select p_workspace where p_status = 'suspended' on conflict do nothing;
$f$;

-- As in 0013, and nothing of a workspace that is held.
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
    select q.endpoint_id from webhooks.queue q
    where p_new > 0 and q.waiting > 0 and coalesce(q.lease_until, '-infinity') < v_now
      and not exists (select from webhooks.held_workspace h where h.workspace_id = q.workspace_id)
      and (exists (select from webhooks.delivery d where d.endpoint_id = q.endpoint_id and d.due_at is null)
        or exists (select from webhooks.delivery d where d.endpoint_id = q.endpoint_id and d.due_at <= v_now))
    limit p_new for update of q skip locked
  ), claimed as (
    update webhooks.queue q set owner = p_owner, lease_until = v_now + p_lease_ms * interval '1 millisecond'
    from free f where q.endpoint_id = f.endpoint_id returning q.endpoint_id
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
