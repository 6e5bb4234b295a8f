-- Since when the rule in force holds: its place in the log and when it was made, for the version `since_version` (a process of an older build writes
-- versions without it). A rule that comes back soon holds since it was made first: `earlier` has the last ones with when each was replaced.
alter table lists.rule
  add column since_version integer,
  add column since_commit bigint,
  add column since_prepare bigint,
  add column since_at timestamptz,
  add column earlier jsonb not null default '[]';
