-- The last event that this installation has seen of a log outside of its database: by it the log is recognised at the next start, also where
-- another, longer one is in its place. It may fall back: an older event says the same. A log in the database needs no mark, since the two
-- cannot part.
create table ops.log_mark (
  single           boolean primary key default true check (single),
  position_commit  bigint      not null,
  position_prepare bigint      not null,
  event_id         uuid        not null,
  updated_at       timestamptz not null default now()
) with (fillfactor = 50);
