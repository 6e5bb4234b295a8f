-- When the first job of each kind is due that no hold keeps back, in milliseconds: 0 where one is due, no row where none waits. One probe of
-- `job_due` for each workspace of a kind that has jobs; it ends at the first that is due.
create function inbox.first_due(p_kinds text[]) returns table (kind text, due_in_ms double precision)
language plpgsql stable as $f$
declare
  v_now timestamptz := clock_timestamp();
begin
  return query
  select k.name, first.ms
  from unnest(p_kinds) k(name) cross join lateral (
    with recursive visit(ws, first_due) as (
      (select j.workspace_id, j.due_at from inbox.job j
       where j.kind = k.name and j.due_at is not null order by j.workspace_id, j.due_at limit 1)
      union all
      select n.* from visit v cross join lateral (
        select j.workspace_id, j.due_at from inbox.job j
        where j.kind = k.name and j.due_at is not null and j.workspace_id > v.ws order by j.workspace_id, j.due_at limit 1) n
    ), free as (
      select v.first_due from visit v left join lateral (
        select 1 as yes from inbox.held_workspace h
        where h.kind = k.name and h.workspace_id = v.ws and h.held_until > v_now limit 1) hold on true
      where hold.yes is null
    )
    select coalesce(
      (select 0 from free f where f.first_due <= v_now limit 1),
      (select extract(epoch from min(f.first_due) - v_now) * 1000 from free f))::double precision as ms) first
  where first.ms is not null;
end $f$;

alter function inbox.first_due set enable_seqscan = off set enable_bitmapscan = off set plan_cache_mode = force_generic_plan;
