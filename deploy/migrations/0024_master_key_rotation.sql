-- Replacing the master key while the service runs. docs/adr/0014-rotating-the-master-key.md has the why.

-- While one key replaces another: which one, and the new key itself sealed under it, so that a process that has the old one learns the
-- new one. From `retired_at` on nothing new is wrapped under a key; its row goes when nothing is wrapped under it any more.
alter table keys.master_key
  add column replaces   text,
  add column sealed     bytea,
  add column retired_at timestamptz,
  add check ((replaces is null) = (sealed is null));

-- What was derived from a master key that is no more, for what was made with it (links in mail), wrapped as the keys of subjects are.
create table keys.purpose_key (
  master_key_id text not null,
  purpose       text not null,
  wrapped       bytea not null,
  primary key (master_key_id, purpose)
);

-- The processes that hold keys, and the newest master key that each of them has heard of.
create unlogged table keys.holder (
  process    uuid primary key,
  master_key text not null,
  heard_at   timestamptz not null default clock_timestamp()
);
