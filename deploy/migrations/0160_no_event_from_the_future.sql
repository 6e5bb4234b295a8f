-- M60: no insert dates an event ahead of the clock, and none leaves positions out: es.append would date every later event so, and a reader that
-- has seen a position that is ahead passes the events that come to stand before it.
-- Who holds the lock of the log gives positions in order: es.append, and nobody else. A setting of the transaction says so, once a batch.
create or replace function es.lock() returns void language plpgsql as $$
begin
  lock table es.append_lock in exclusive mode;
  perform set_config('es.locked', 'on', true);
end $$;

create function es.refuse_misplaced() returns trigger language plpgsql as $$
declare
  newest es.event;
begin
  if coalesce(current_setting('es.allow_rewrite', true), '') = 'on' then
    return new;
  end if;
  -- The end of the log does not move while it is looked at. Not es.lock(): the other rows of this insert are judged too.
  lock table es.append_lock in exclusive mode;
  select * into newest from es.event e order by e.position desc limit 1;
  -- Where the clock was set back, es.append goes on with the time of the newest event, which is then ahead.
  if new.position <> coalesce(newest.position, 0) + 1 or new.created < newest.created
     or new.created > greatest(newest.created, clock_timestamp() + interval '1 second') then
    raise exception 'es.event is append-only: an event of % at position % is refused, behind one of % at position %, unless es.allow_rewrite is on',
      new.created, new.position, newest.created, newest.position using errcode = 'insufficient_privilege';
  end if;
  return new;
end $$;

drop trigger event_is_not_backdated on es.event;
drop function es.refuse_backdating();
create trigger event_is_not_misplaced before insert on es.event
  for each row when (
    new.created not between clock_timestamp() - interval '1 second' and clock_timestamp() + interval '1 second'
    or current_setting('es.locked', true) is distinct from 'on')
  execute function es.refuse_misplaced();
