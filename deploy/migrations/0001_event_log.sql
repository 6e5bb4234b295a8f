-- The event log. Owned by packages/event-store; only es.append writes events, and nobody changes them.

create schema es;

create table es.event (
  position  bigint primary key,         -- dense, in commit order: drawn under the store's lock, so a reader needs only `position > $1`
  stream_id text collate "C" not null,
  revision  int not null,
  event_id  uuid not null,
  type      text collate "C" not null,
  data      text not null,              -- text, not jsonb: what was written comes back byte for byte
  meta      text not null,
  created   timestamptz not null        -- milliseconds; never goes back along the log
);
create unique index event_stream_revision on es.event (stream_id, revision);
create unique index event_id_once on es.event (event_id);

-- Only streams that were deleted or limited have a row.
create table es.stream_meta (
  stream_id       text collate "C" primary key,
  tombstoned      boolean not null default false,
  deleted_before  int not null default 0,   -- soft delete: revisions below are hidden and count as "no stream"
  truncate_before int,
  max_count       int,
  max_age_seconds int
);

create function es.refuse_rewrite() returns trigger language plpgsql as $$
begin
  if coalesce(current_setting('es.allow_rewrite', true), '') <> 'on' then
    raise exception 'es.event is append-only: % is refused unless es.allow_rewrite is on', tg_op using errcode = 'insufficient_privilege';
  end if;
  return null;
end $$;
create trigger event_is_append_only before update or delete or truncate on es.event
  for each statement execute function es.refuse_rewrite();

-- One lock per store. It is taken in a statement of its own, so that the next statement's snapshot (read committed) sees everything
-- the previous holder committed. Never call these functions under repeatable read or serializable.
create function es.lock() returns void language sql as $$ select pg_advisory_xact_lock(7100001) $$;

-- A group commit: many appends, at most one per stream, no event id twice; one verdict per append.
-- The arrays have one entry per event; an append's events lie together, `p_ordinal` counts them from 0, and stream and expected revision
-- (-1 no stream, -2 any, -4 stream exists, else exact) are repeated beside each: that leaves nothing to join, so the cost is linear.
-- Verdicts: o appended · d duplicate (already there, as it would be written now) · w wrong revision · x tombstoned · c conflict (ids known otherwise).
create function es.append(
  p_stream text[], p_expected int[], p_item int[], p_ordinal int[], p_id uuid[], p_type text[], p_data text[], p_meta text[])
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
    from unnest(p_stream, p_expected, p_item, p_ordinal, p_id, p_type, p_data, p_meta) with ordinality
           i(stream, expected, item, ordinal, id, type, data, meta, line)
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
    window append as (partition by l.item)
  ), judged as (
    select s.*, case
        when s.tombstoned then 'x'
        when s.known = 0 then case when s.fits then 'o' else 'w' end
        when s.known < s.size or not s.known_in_order then 'c'
        when s.expected < 0 or s.known_first = s.expected + 1 then 'd'
        when s.fits then 'c'
        else 'w'
      end::"char" as verdict
    from summed s
  ), placed as materialized (
    select j.*, base + count(*) filter (where j.verdict = 'o') over (order by j.line rows unbounded preceding) as position,
           coalesce(j.current, -1) + 1 + j.ordinal as revision
    from judged j
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

-- Soft delete (hides what is there) or tombstone (refuses the stream for ever). Verdicts as above, 'o' done.
create function es.delete_stream(p_stream text, p_expected int, p_tombstone boolean, out verdict "char", out revision int)
language plpgsql as $$
declare
  m       es.stream_meta;
  visible int;
begin
  perform es.lock();
  select e.revision into revision from es.event e where e.stream_id = p_stream order by e.revision desc limit 1;
  select * into m from es.stream_meta s where s.stream_id = p_stream;
  visible := case when revision >= coalesce(m.deleted_before, 0) then revision end;
  verdict := case
    when m.tombstoned then 'x'
    when p_expected = -2 or (p_expected = -1 and visible is null) or (p_expected = -4 and visible is not null) or p_expected = revision then 'o'
    else 'w'
  end;
  if verdict = 'o' then
    insert into es.stream_meta as s (stream_id, tombstoned, deleted_before) values (p_stream, p_tombstone, coalesce(revision + 1, 0))
    on conflict (stream_id) do update set tombstoned = excluded.tombstoned, deleted_before = excluded.deleted_before;
  end if;
end $$;
