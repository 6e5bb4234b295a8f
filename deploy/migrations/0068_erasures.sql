-- Persons who are to be forgotten, written from the log: the process that was asked may die, and another finishes it. A row stays when it is
-- finished: after a restore, which may have brought keys back, all of them are gone through again.
create table ops.erasure (
  workspace_id uuid not null,
  contact_id uuid not null,
  admitted_at timestamptz not null default clock_timestamp(),
  finished_at timestamptz,
  primary key (workspace_id, contact_id)
);
create index erasure_unfinished on ops.erasure (admitted_at) where finished_at is null;
