-- Nearly every batch holds only appends at the exact end of streams that were never deleted, and repeats nothing. Such a batch needs no
-- verdicts, and so no windows, sorts and copies of what it writes: it is looked at once, narrowly, and written. Any other batch goes the
-- way of migration 0020, as a whole. Backend CPU of one append, least of ten rounds on a busy machine, beside a bare insert of the same rows:
-- 300 B in a batch of 64: 22 → 16 µs (15); 3 KB in a batch of 16: 51 → 42 µs (30); 3 KB alone: 241 → 168 µs (122).
alter function es.append(text[], int[], int[], int[], int[], uuid[], text[], text[], text[]) rename to append_judged;

create function es.append(
  p_stream text[], p_expected int[], p_group int[], p_item int[], p_ordinal int[], p_id uuid[], p_type text[], p_data text[], p_meta text[])
returns table (item int, verdict "char", revision int, last_position bigint, created_ms bigint)
language plpgsql as $$
#variable_conflict use_column
declare
  plain boolean;
  base  bigint;
  stamp timestamptz;
  ms    bigint;
begin
  perform es.lock();

  select not exists (select from es.stream_meta m where m.stream_id = any (p_stream)) and bool_and(
           i.expected >= -1
           and i.expected = coalesce((select e.revision from es.event e where e.stream_id = i.stream order by e.revision desc limit 1), -1)
           and not exists (select from es.event e where e.event_id = i.id))
    into plain
    from unnest(p_stream, p_expected, p_id) i(stream, expected, id);
  if plain is not true then
    return query select * from es.append_judged(p_stream, p_expected, p_group, p_item, p_ordinal, p_id, p_type, p_data, p_meta);
    return;
  end if;

  select e.position, e.created into base, stamp from es.event e order by e.position desc limit 1;
  base := coalesce(base, 0);
  -- The clock may step back; the log may not.
  stamp := greatest(stamp, date_trunc('milliseconds', clock_timestamp()));
  ms := extract(epoch from stamp) * 1000;

  insert into es.event (position, stream_id, revision, event_id, type, data, meta, created)
  select base + i.line, i.stream, i.expected + 1 + i.ordinal, i.id, i.type, i.data, i.meta, stamp
  from unnest(p_stream, p_expected, p_ordinal, p_id, p_type, p_data, p_meta) with ordinality
         i(stream, expected, ordinal, id, type, data, meta, line);
  perform pg_notify('es_appended', (base + cardinality(p_item))::text);
  return query
    select i.item, 'o'::"char", max(i.expected + 1 + i.ordinal), base + max(i.line), ms
    from unnest(p_item, p_expected, p_ordinal) with ordinality i(item, expected, ordinal, line) group by i.item;
end $$;
