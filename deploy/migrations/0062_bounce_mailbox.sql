-- How far the mailbox of bounces has been read, and which process reads it. `last_uid` means nothing under another `uid_validity`.
create table ops.bounce_mailbox (
  -- user@host:port/folder
  mailbox      text primary key,
  owner        text,
  epoch        bigint not null default 0,
  expires_at   timestamptz,
  uid_validity bigint not null default 0,
  last_uid     bigint not null default 0
);
