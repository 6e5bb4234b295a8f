create schema if not exists ops;
create schema if not exists read;

-- How far each projection's tables are. `epoch` is that of the lease whose owner may move it: a zombie's compare-and-set fails.
create table ops.projection_checkpoint (
  projection       text collate "C" primary key,
  version          int         not null,
  epoch            bigint      not null,
  position_commit  bigint      not null,
  position_prepare bigint      not null,
  updated_at       timestamptz not null default now()
) with (fillfactor = 50);

create table ops.projection_lease (
  projection text collate "C" primary key,
  owner      text        not null,
  epoch      bigint      not null,
  expires_at timestamptz not null
) with (fillfactor = 50);

-- What the owner says about itself, once a second. `lag_events` is null where positions are not dense.
create table ops.projection_status (
  projection   text collate "C" primary key,
  owner        text        not null,
  state        text        not null,
  lag_events   bigint,
  lag_seconds  double precision,
  rate         double precision,
  eta_seconds  double precision,
  failure      jsonb,
  heartbeat_at timestamptz not null
) with (fillfactor = 50);

-- A stream that one projection could not apply: it is skipped there, from `revision` on, until it is re-driven.
create table ops.parked_stream (
  projection          text collate "C" not null,
  stream              text collate "C" not null,
  revision            int         not null,
  position_commit     bigint      not null,
  position_prepare    bigint      not null,
  event_id            uuid        not null,
  event_type          text        not null,
  workspace_id        uuid        not null,
  error               text        not null,
  parked_at           timestamptz not null default now(),
  redrive_requested_at timestamptz,
  primary key (projection, stream)
);

-- Every running process, and how far it has seen the log: a command that must be obeyed at once waits for all of them.
create table ops.process (
  id               uuid primary key,
  role             text        not null,
  started_at       timestamptz not null,
  heartbeat_at     timestamptz not null,
  position_commit  bigint      not null,
  position_prepare bigint      not null
) with (fillfactor = 50);
