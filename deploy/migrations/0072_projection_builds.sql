-- Tables of a projection that stand beside the live ones: `next`, built to be compared and swapped in, and `previous`, which a swap took out
-- and `swap --back` can bring back until `expires_at`. Positions as in projection_checkpoint: these tables are not followed, they are brought
-- up to date when they are needed. `parked`: rows of parked_stream, for the streams that these tables could not apply.
create table ops.projection_build (
  projection       text collate "C" not null,
  generation       text        not null check (generation in ('next', 'previous')),
  version          int         not null,
  position_commit  bigint      not null,
  position_prepare bigint      not null,
  tables           text[]      not null,
  parked           jsonb       not null,
  built_at         timestamptz not null default now(),
  expires_at       timestamptz,
  primary key (projection, generation)
);
