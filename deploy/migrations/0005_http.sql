-- Owned by packages/http: what the HTTP conventions remember. Nothing here is derived from the log, and none of it survives a restore.
create schema if not exists ops;

-- One row per Idempotency-Key (decisions.md M1). While `status` is null the request runs, or ran in a process that is gone once
-- `lease_until` has passed: whoever takes over goes on with the same command id. `answer` is sealed, and null where it showed a secret.
create table ops.idempotency (
  workspace_id uuid        not null,
  method       text        not null,
  path         text        not null,
  key          text        not null,
  body_hash    bytea       not null,
  command_id   uuid        not null,
  lease_until  timestamptz not null,
  status       smallint,
  answer       bytea,
  expires_at   timestamptz not null,
  primary key (workspace_id, key, method, path)
);
create index idempotency_expiry on ops.idempotency (expires_at);

-- When a key was last used; written in batches, never older than what it says.
create table ops.api_key_usage (
  key_id       uuid        primary key,
  workspace_id uuid        not null,
  last_used_at timestamptz not null
);
create index api_key_usage_workspace on ops.api_key_usage (workspace_id);
