-- Links that sign in once, and sessions of operators.

-- A session that signs in for an operator: of a user of the installation, whose workspace is the nil UUID, or of a workspace's user who came by such a link.
alter table ops.session add column operator boolean not null default false;

-- A link is over where `credential` differs now, as a session is (M40).
create table ops.sign_in_link (
  token_hash   bytea       primary key,  -- SHA-256
  workspace_id uuid        not null,     -- the nil UUID: of a user of the installation
  user_id      uuid        not null,
  credential   bytea       not null,
  operator     boolean     not null default false,
  created_at   timestamptz not null default now(),
  expires_at   timestamptz not null,
  used_at      timestamptz
);
comment on table ops.sign_in_link is 'One row is a link by which a user signs in once, by the hash of its token; 7 days at most.';
create index sign_in_link_of_user on ops.sign_in_link (workspace_id, user_id, created_at);
create index sign_in_link_expires on ops.sign_in_link (expires_at);
