-- Finds the oldest jobs, and nothing else: a look-up of a lane or a job states nothing about `admitted_at`, so no plan that was made while the table was empty
-- takes this index for it and walks over every job of the kind. Admitting 128 jobs beside 2 600 that waited fetched 650 000 rows.
drop index inbox.job_age;
create index job_age on inbox.job (kind, admitted_at) where admitted_at > '-infinity';

create or replace function inbox.depth(p_limit integer)
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
    (select count(*)::integer from (
      select from inbox.job j where j.kind = k.name and j.admitted_at > '-infinity' order by j.admitted_at limit p_limit) c),
    (select count(*)::integer from (select from inbox.job j where j.kind = k.name and j.attempt > 0 limit p_limit) c),
    (select j.admitted_at from inbox.job j where j.kind = k.name and j.admitted_at > '-infinity' order by j.admitted_at limit 1)
  from kinds k order by k.name;
end $f$;
