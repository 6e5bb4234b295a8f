-- The Merkle tree over the log, and its signed heads. docs/adr/0034-a-merkle-tree-over-the-log.md has the why; packages/proof owns it.
create schema proof;

-- How far the tree is: no row before the first leaf.
create table proof.tree (
  single           boolean  primary key default true check (single),
  size             bigint   not null check (size > 0),
  position_commit  bigint   not null,  -- of the event of the last leaf
  position_prepare bigint   not null,
  before_commit    bigint   not null,  -- of the one before it: from here the last leaf is read and compared again
  before_prepare   bigint   not null
) with (fillfactor = 50);

-- 256 hashes of 32 bytes, of neighbours; only the last tile of a level has fewer. Level 0: leaves, one an event. Above: roots of whole tiles
-- of the level below.
create table proof.tile (
  level            smallint not null,
  index            bigint   not null,
  hashes           bytea    not null check (length(hashes) between 32 and 8192 and length(hashes) % 32 = 0),
  position_commit  bigint,             -- of the event of its last leaf, at level 0
  position_prepare bigint,
  primary key (level, index),
  check ((level = 0) = (position_commit is not null and position_prepare is not null))
);
alter table proof.tile alter column hashes set storage external;
-- Finds the tile that an event is in.
create index tile_position on proof.tile (position_commit, position_prepare) where level = 0;

-- Tree heads that were signed, kept for ever: one in five minutes at most while the log grows, one for each export.
create table proof.head (
  size        bigint      primary key check (size > 0),
  root        bytea       not null check (length(root) = 32),
  at          timestamptz not null,
  signature   bytea       not null check (length(signature) = 64),
  anchored_at timestamptz              -- when it, or a later one, was kept outside
);

-- What a verification of the whole log had found when it was stopped: the next goes on there.
create table proof.verification (
  single           boolean primary key default true check (single),
  size             bigint  not null,
  position_commit  bigint  not null,
  position_prepare bigint  not null,
  begun_at         timestamptz not null,
  open_tiles       jsonb   not null,
  problems         jsonb   not null
);
