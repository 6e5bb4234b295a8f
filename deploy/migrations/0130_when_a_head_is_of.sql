-- M60: a tree head is dated by the recording time of its last event, so that what it does not hold was not recorded before it.
-- Null where a version before this one moved the tree, or signed the head by the clock of its process.
alter table proof.tree add column created timestamptz;      -- of the event of the last leaf
alter table proof.head add column signed_at timestamptz;    -- when it was signed; `at` is the time that it states

-- A stopped verification is gone on with only where the log's key signed it: the row lies in the database that is verified.
alter table proof.verification add column latest text;      -- the newest recording time so far
alter table proof.verification add column signature bytea;

-- es.append gives each event the next position and a time that never goes back. Another insert may not, either: what is behind the end of the
-- log, or older than its newest event, is refused unless es.allow_rewrite is on. The condition is judged without a call for what is recorded
-- now, so an append does not pay for it.
create function es.refuse_backdating() returns trigger language plpgsql as $$
declare
  newest es.event;
begin
  if coalesce(current_setting('es.allow_rewrite', true), '') = 'on' then
    return new;
  end if;
  select * into newest from es.event e order by e.position desc limit 1;
  if new.position <= coalesce(newest.position, 0) or new.created < newest.created then
    raise exception 'es.event is append-only: an event of % at position % is refused, behind one of % at position %, unless es.allow_rewrite is on',
      new.created, new.position, newest.created, newest.position using errcode = 'insufficient_privilege';
  end if;
  return new;
end $$;
create trigger event_is_not_backdated before insert on es.event
  for each row when (new.created < clock_timestamp() - interval '1 second' or new.position < 1) execute function es.refuse_backdating();
