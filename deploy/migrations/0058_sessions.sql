-- Owned by packages/sign-in: sessions of users (M40). `token_hash` is the SHA-256 of the token. `credential` names the password that it was
-- begun with, `suspensions` how often the workspace had stopped being active until then: where either differs now, the session is over.
create table ops.session (
  token_hash   bytea       primary key,
  workspace_id uuid        not null,
  user_id      uuid        not null,
  credential   bytea       not null,
  suspensions  int         not null,
  created_at   timestamptz not null default now(),
  used_at      timestamptz not null default now()
) with (fillfactor = 70);

create index session_of_user on ops.session (workspace_id, user_id, used_at);
create index session_used on ops.session (used_at);
