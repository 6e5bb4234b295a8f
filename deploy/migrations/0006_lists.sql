-- Dynamic lists (consumers): their rules as of the checkpoint of the consumer, the runs of new rules over all contacts, and when time moves which contact.
-- Like the inbox they may fall back to an earlier moment of themselves, together with that checkpoint: the events then come again.

create schema lists;

-- A rule that comes back soon holds since it was made first: `earlier` has the last ones with when each was replaced.
create table lists.rule (
  workspace_id  uuid not null,
  list_id       uuid not null,
  version       integer not null,
  rule          jsonb not null,
  is_timed      boolean not null,            -- its answer may change without any event
  since_version integer,                     -- the version that `since_…` are of: where the rule was made, and when
  since_commit  bigint,
  since_prepare bigint,
  since_at      timestamptz,
  earlier       jsonb not null default '[]',
  primary key (workspace_id, list_id)
);
comment on table lists.rule is 'One row is the rule in force for a dynamic list, and since when it holds.';

-- Every list also has a row for `*`, which is a new contact.
create table lists.rule_fact (
  workspace_id uuid not null,
  fact         text collate "C" not null,
  list_id      uuid not null,
  primary key (workspace_id, fact, list_id)
);
comment on table lists.rule_fact is 'One row is a fact that the rule of a list reads: from a change of a contact to the lists that it may concern.';

-- A run begins (`is_ready`) when the read models show what the log had after the rule was known. Runs of a workspace with the same `after` share their pages.
create table lists.run (
  workspace_id uuid not null,
  list_id      uuid not null,
  version      integer not null,
  is_ready     boolean not null default false,
  after        uuid not null default '00000000-0000-0000-0000-000000000000',  -- contacts up to this id are done
  contacts     bigint not null default 0,
  changes      bigint not null default 0,
  started_at   timestamptz not null default clock_timestamp(),
  touched_at   timestamptz not null default clock_timestamp(),
  finished_at  timestamptz,
  primary key (workspace_id, list_id)
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500);
comment on table lists.run is 'One row is how far the run of the newest rule of a list over all contacts is.';
create index run_open on lists.run (touched_at) where finished_at is null;

create table lists.due (
  workspace_id uuid not null,
  contact_id   uuid not null,
  due_at       timestamptz not null,  -- the answer of a rule changes then or later, never earlier
  primary key (workspace_id, contact_id)
) with (fillfactor = 90);
comment on table lists.due is 'One row is a contact whom time may move onto a dynamic list or off it, with the moment.';
create index due_at on lists.due (due_at);
