-- Keys of data subjects and workspaces, and content too large for an event. docs/adr/0001-encryption-of-personal-data.md has the why.
-- A schema of its own, so that it can have its own backup with a short retention: an erasure is only as good as the backups of these tables.
create schema if not exists keys;
create schema if not exists ops;

-- Which master keys this database was written under; a process that brings another one is refused.
create table keys.master_key (
  id          text primary key,
  check_value bytea not null,
  created_at  timestamptz not null default now()
);

-- A shredded subject keeps its row without the key: nobody can make a new key for it by accident.
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

create table keys.workspace_secret (
  workspace_id uuid primary key,
  wrapped      bytea not null,
  created_at   timestamptz not null default now()
);

-- Sealed under the key of the subject; written before the event that names it.
create table ops.content (
  workspace_id uuid not null,
  id           uuid not null,
  subject      text collate "C" not null,
  sealed       bytea not null,
  created_at   timestamptz not null default now(),
  primary key (workspace_id, id)
);
-- Ciphertext does not compress: do not let Postgres try.
alter table ops.content alter column sealed set storage external;
create index content_created_at on ops.content (created_at);
