-- What retention has ended, as the log says it in `DetailsEnded`: every reader of the log asks for it, so it stands beside the keys. `until` is a
-- Monday: the weeks before it have ended. `cleared_until`: the read models hold nothing more of those.
create table keys.ended_details (
  workspace_id  uuid        not null,
  kind          text        not null check (kind in ('client', 'content')),
  until         date        not null check (extract(isodow from until) = 1),
  ended_at      timestamptz not null default clock_timestamp(),
  cleared_until date,
  primary key (workspace_id, kind)
);
