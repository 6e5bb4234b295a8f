-- Keys of data subjects and workspaces. packages/codec owns them; docs/adr/0001-encryption-of-personal-data.md has the why. They have a schema of their
-- own, so that it can have its own backup with a short retention: an erasure is only as good as the backups of these tables.

create schema keys;

-- While one key replaces another, `replaces` names the old one, and `sealed` is the new key itself under it, so that a process that has the old key learns
-- the new one. From `retired_at` on nothing new is wrapped under a key; its row goes when nothing is wrapped under it any more
-- (docs/adr/0014-rotating-the-master-key.md).
create table keys.master_key (
  id          text primary key,
  check_value bytea not null,
  replaces    text,
  sealed      bytea,
  created_at  timestamptz not null default now(),
  retired_at  timestamptz,
  check ((replaces is null) = (sealed is null))
);
comment on table keys.master_key is 'One row is a master key that this database was written under; a process that brings another one is refused.';

create table keys.subject_key (
  workspace_id uuid not null,
  subject      text collate "C" not null,
  version      int not null,
  wrapped      bytea,
  created_at   timestamptz not null default now(),
  shredded_at  timestamptz,
  primary key (workspace_id, subject, version),
  check ((wrapped is null) = (shredded_at is not null))
);
comment on table keys.subject_key is
  'One row is the wrapped key of a data subject. A shredded subject keeps its row without the key, so that no new key is made for it by accident.';
-- Finds the keys of passcodes that are past their time. `wrapped` is not in the index: a replacement of the master key writes it anew for every subject,
-- and those updates stay HOT.
create index subject_key_passcodes on keys.subject_key (created_at) where subject like 'passcode:%' and shredded_at is null;
create index subject_key_ended_passcodes on keys.subject_key (subject) where subject like 'passcode:%' and shredded_at is not null;

create table keys.workspace_secret (
  workspace_id uuid primary key,
  wrapped      bytea not null,
  created_at   timestamptz not null default now()
);
comment on table keys.workspace_secret is 'One row is the wrapped secret of a workspace, which names its claim streams.';

create table keys.purpose_key (
  master_key_id text not null,
  purpose       text not null,
  wrapped       bytea not null,
  primary key (master_key_id, purpose)
);
comment on table keys.purpose_key is
  'One row is a key that was derived from a master key that is gone, wrapped as the keys of subjects are: links in mail were made with it.';

create unlogged table keys.holder (
  process    uuid primary key,
  master_key text not null,
  heard_at   timestamptz not null default clock_timestamp()
);
comment on table keys.holder is 'One row is a process that has keys in memory, with the newest master key that it knows.';

-- The log says the same in `DetailsEnded`; every reader of the log asks this table.
create table keys.ended_details (
  workspace_id  uuid not null,
  kind          text not null check (kind in ('client', 'content')),
  until         date not null check (extract(isodow from until) = 1),  -- a Monday: the weeks before it have ended
  ended_at      timestamptz not null default clock_timestamp(),
  cleared_until date,                                                  -- the read models have nothing more of the weeks before it
  primary key (workspace_id, kind)
);
comment on table keys.ended_details is 'One row is a kind of details of a workspace that retention has ended, with the day up to which.';

-- The key of a passcode leaves a row without a key behind (docs/adr/0026-deleting-a-passcode-deletes-its-key.md). A week later one row stands for all of
-- them: passcodes whose id was made before `until` have no key, and never get one. Their ids are of version 7, which begins with its time.
create table keys.ended_passcodes (
  only_row boolean primary key default true check (only_row),
  until    text collate "C" not null,                            -- as the subject of a passcode is written
  begun_at timestamptz not null default clock_timestamp()        -- deletions begin a day later: a process that looks for the rows has ended by then
);
comment on table keys.ended_passcodes is 'The only row says up to which id passcodes have no key, for all whose rows are gone.';

create function keys.is_ended_passcode(p_subject text) returns boolean language sql stable as $$
  select p_subject like 'passcode:________-____-7%' and p_subject collate "C" < (select until from keys.ended_passcodes)
$$;
