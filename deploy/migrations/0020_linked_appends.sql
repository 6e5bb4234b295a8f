-- Appends that stand or fall together: `p_group` numbers the groups, an append without company is a group of its own. A group is written
-- when each of its appends may be; it is a duplicate when each of them is. Otherwise none is written, and those that are not to blame
-- themselves say n (not written, because of the others). The other verdicts, and what the arrays hold, are those of migration 0001.
-- One sort for all windows: they begin with the same keys, and the lines come in their order.
create function es.append(
  p_stream text[], p_expected int[], p_group int[], p_item int[], p_ordinal int[], p_id uuid[], p_type text[], p_data text[], p_meta text[])
returns table (item int, verdict "char", revision int, last_position bigint, created_ms bigint)
language plpgsql as $$
#variable_conflict use_column
declare
  base  bigint;
  stamp timestamptz;
  ms    bigint;
begin
  perform es.lock();

  select e.position, e.created into base, stamp from es.event e order by e.position desc limit 1;
  base := coalesce(base, 0);
  -- The clock may step back; the log may not.
  stamp := greatest(stamp, date_trunc('milliseconds', clock_timestamp()));
  ms := extract(epoch from stamp) * 1000;

  return query
  with looked_up as (
    select i.*, s.revision as current, coalesce(m.tombstoned, false) as tombstoned, coalesce(m.deleted_before, 0) as deleted_before,
           k.stream_id as known_stream, k.revision as known_revision, k.position as known_position
    from unnest(p_stream, p_expected, p_group, p_item, p_ordinal, p_id, p_type, p_data, p_meta) with ordinality
           i(stream, expected, company, item, ordinal, id, type, data, meta, line)
    left join lateral (select e.revision from es.event e where e.stream_id = i.stream order by e.revision desc limit 1) s on true
    left join lateral (select * from es.stream_meta e where e.stream_id = i.stream offset 0) m on true
    left join lateral (select e.stream_id, e.revision, e.position from es.event e where e.event_id = i.id offset 0) k on true
  ), summed as (
    select l.*,
           case l.expected when -2 then true when -1 then l.current is null or l.current < l.deleted_before
                           when -4 then l.current >= l.deleted_before else l.expected = l.current end is true as fits,
           count(*) over append as size,
           count(l.known_revision) over append as known,
           -- All in this stream, each as far behind the first as it would be now.
           bool_and(l.known_stream = l.stream) over append
             and min(l.known_revision - l.ordinal) over append = max(l.known_revision - l.ordinal) over append as known_in_order,
           min(l.known_revision) over append as known_first
    from looked_up l
    window append as (partition by l.company, l.item order by l.line rows between unbounded preceding and unbounded following)
  ), judged as (
    select s.*, case
        when s.tombstoned then 'x'
        when s.known = 0 then case when s.fits then 'o' else 'w' end
        when s.known < s.size or not s.known_in_order then 'c'
        when s.expected < 0 or s.known_first = s.expected + 1 then 'd'
        when s.fits then 'c'
        else 'w'
      end::"char" as alone
    from summed s
  ), together as (
    select j.*, case
        when j.alone not in ('o', 'd') or bool_and(j.alone = 'o') over mates or bool_and(j.alone = 'd') over mates then j.alone
        else 'n'
      end::"char" as verdict
    from judged j
    window mates as (partition by j.company order by j.item, j.line rows between unbounded preceding and unbounded following)
  ), placed as materialized (
    select t.*, base + count(*) filter (where t.verdict = 'o') over (order by t.company, t.item, t.line rows unbounded preceding) as position,
           coalesce(t.current, -1) + 1 + t.ordinal as revision
    from together t
  ), written as (
    insert into es.event (position, stream_id, revision, event_id, type, data, meta, created)
    select p.position, p.stream, p.revision, p.id, p.type, p.data, p.meta, stamp from placed p where p.verdict = 'o'
  )
  select p.item, p.verdict, case p.verdict when 'o' then p.revision when 'd' then p.known_revision else p.current end,
         case p.verdict when 'o' then p.position when 'd' then p.known_position end, ms
  from placed p where p.ordinal = p.size - 1;

  select e.position into ms from es.event e order by e.position desc limit 1;
  if ms > base then
    -- One a batch: a transaction with notifications takes a global lock at commit, so one an append would cost more than half.
    perform pg_notify('es_appended', ms::text);
  end if;
end $$;

-- For processes that started before this migration: each append by itself.
create or replace function es.append(
  p_stream text[], p_expected int[], p_item int[], p_ordinal int[], p_id uuid[], p_type text[], p_data text[], p_meta text[])
returns table (item int, verdict "char", revision int, last_position bigint, created_ms bigint)
language sql as $$
  select * from es.append(p_stream, p_expected, p_item, p_item, p_ordinal, p_id, p_type, p_data, p_meta)
$$;
