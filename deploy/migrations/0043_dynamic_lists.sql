-- Dynamic lists: their rules as of the consumer's checkpoint, the runs of new rules over all contacts, and when time moves whom.
-- Like the inbox they may fall back to an earlier moment of themselves, together with that checkpoint: the events then come again.
create schema if not exists lists;

-- The rule in force for each dynamic list. `is_timed`: its answer may change without any event.
create table lists.rule (
  workspace_id uuid not null,
  list_id uuid not null,
  version integer not null,
  rule jsonb not null,
  is_timed boolean not null,
  primary key (workspace_id, list_id)
);

-- From what changed to the lists whose rules read it; every list also has a row for `*`, which is a new contact.
create table lists.rule_fact (
  workspace_id uuid not null,
  fact text collate "C" not null,
  list_id uuid not null,
  primary key (workspace_id, fact, list_id)
);

-- One row a list: how far the run of its newest rule is. `after`: contacts up to this id are done. A run begins (`is_ready`) when the read
-- models show what the log had after the rule was known. Runs of a workspace with the same `after` share their pages.
create table lists.run (
  workspace_id uuid not null,
  list_id uuid not null,
  version integer not null,
  after uuid not null default '00000000-0000-0000-0000-000000000000',
  is_ready boolean not null default false,
  contacts bigint not null default 0,
  changes bigint not null default 0,
  started_at timestamptz not null default clock_timestamp(),
  touched_at timestamptz not null default clock_timestamp(),
  finished_at timestamptz,
  primary key (workspace_id, list_id)
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500);
create index run_open on lists.run (touched_at) where finished_at is null;

-- When the next answer of some rule about the contact may change by time alone: at that time or earlier, never later.
create table lists.due (
  workspace_id uuid not null,
  contact_id uuid not null,
  due_at timestamptz not null,
  primary key (workspace_id, contact_id)
) with (fillfactor = 90);
create index due_at on lists.due (due_at);
