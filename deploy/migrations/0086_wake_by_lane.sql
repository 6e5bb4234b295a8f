-- As in 0085, but lanes that are named are looked up themselves, however many others wait for the same.
create or replace function inbox.wake_aside(p_kind text, p_workspace uuid, p_reason text, p_lanes text[], p_limit integer) returns integer
language plpgsql set enable_seqscan = off set enable_bitmapscan = off set plan_cache_mode = force_generic_plan as $f$
declare
  v_at tid[];
  v_woken bigint[];
  v_now timestamptz := clock_timestamp();
begin
  perform inbox.lock_kind(p_kind);
  if p_lanes is null then
    v_at := array(
      select j.ctid from inbox.job j
      where j.aside and j.kind = p_kind and j.workspace_id = p_workspace and j.last_error = p_reason and j.token is null
      order by j.seq limit p_limit);
  else
    v_at := array(
      select j.ctid from unnest(p_lanes) l(name) cross join lateral (
        select i.ctid, i.seq from inbox.job i
        where i.kind = p_kind and i.lane = hashtextextended(l.name, 0) and i.aside and i.workspace_id = p_workspace
          and i.last_error = p_reason and i.token is null
        order by i.kind, i.lane, i.seq limit p_limit) j
      order by j.seq limit p_limit);
  end if;
  with woken as (
    update inbox.job j set due_at = case when j.attempt > 0 then v_now end, aside = false where j.ctid = any (v_at) returning j.lane
  ) select array_agg(w.lane) into v_woken from woken w;
  perform inbox.promote(p_kind, v_woken);
  return coalesce(cardinality(v_woken), 0);
end $f$;

-- For what jobs of a workspace wait aside, of these lanes alone where some are named: one look at the index for each reason, or for each lane.
create function inbox.aside_reasons(p_kind text, p_workspace uuid, p_lanes text[]) returns setof text
language plpgsql stable set enable_seqscan = off set enable_bitmapscan = off set plan_cache_mode = force_generic_plan as $f$
begin
  if p_lanes is not null then
    return query
    select distinct j.last_error from unnest(p_lanes) l(name) cross join lateral (
      select i.last_error from inbox.job i
      where i.kind = p_kind and i.lane = hashtextextended(l.name, 0) and i.aside and i.workspace_id = p_workspace) j;
    return;
  end if;
  return query
  with recursive reasons(reason) as (
    (select j.last_error from inbox.job j
     where j.aside and j.kind = p_kind and j.workspace_id = p_workspace and j.last_error is not null order by j.last_error limit 1)
    union all
    select n.last_error from reasons r cross join lateral (
      select j.last_error from inbox.job j
      where j.aside and j.kind = p_kind and j.workspace_id = p_workspace and j.last_error > r.reason order by j.last_error limit 1) n
  )
  select r.reason from reasons r;
end $f$;
