-- The Merkle tree over the log, and its signed heads. packages/evidence owns it; docs/adr/0034-a-merkle-tree-over-the-log.md has the why.

create schema proof;

create table proof.tree (
  single           boolean primary key default true check (single),
  size             bigint  not null check (size > 0),
  position_commit  bigint  not null,  -- the event of the last leaf
  position_prepare bigint  not null,
  before_commit    bigint  not null,  -- the event before it: from here the last leaf is read and compared again
  before_prepare   bigint  not null,
  created          timestamptz        -- when the event of the last leaf was recorded, which dates the next head (M60)
) with (fillfactor = 50);
comment on table proof.tree is 'The only row is how far the tree is; there is none before the first leaf.';

-- Level 0 has leaves, one an event. Above are roots of whole tiles of the level below.
create table proof.tile (
  level            smallint not null,
  index            bigint   not null,
  hashes           bytea    not null check (length(hashes) between 32 and 8192 and length(hashes) % 32 = 0),
  position_commit  bigint,             -- at level 0 the event of the last leaf
  position_prepare bigint,
  primary key (level, index),
  check ((level = 0) = (position_commit is not null and position_prepare is not null))
);
comment on table proof.tile is 'One row is 256 neighbouring hashes of the tree; only the last tile of a level has fewer.';
alter table proof.tile alter column hashes set storage external;
-- Finds the tile that an event is in.
create index tile_position on proof.tile (position_commit, position_prepare) where level = 0;

create table proof.head (
  size        bigint      primary key check (size > 0),
  root        bytea       not null check (length(root) = 32),
  at          timestamptz not null,  -- the time that the head states: the recording time of its last event, so that what it lacks was not recorded before it
  signature   bytea       not null check (length(signature) = 64),
  signed_at   timestamptz,
  anchored_at timestamptz            -- when it, or a later one, was kept outside
);
comment on table proof.head is
  'One row is a tree head that was signed, kept for ever: one in five minutes at most while the log grows, one for each export.';

-- A stopped verification goes on only where the key of the log signed the row, because the row lies in the database that is verified.
create table proof.verification (
  single           boolean     primary key default true check (single),
  size             bigint      not null,
  position_commit  bigint      not null,
  position_prepare bigint      not null,
  latest           text,       -- the newest recording time so far
  begun_at         timestamptz not null,
  open_tiles       jsonb       not null,
  problems         jsonb       not null,
  signature        bytea
);
comment on table proof.verification is 'The only row is what a verification of the whole log had found when it was stopped.';
