-- The development outbox: messages that would have left the machine, for people to look at. Unlogged: a crash may empty it.
create schema if not exists outbox;

create unlogged table outbox.message (
  seq bigint generated always as identity primary key,
  id uuid not null unique,
  workspace_id uuid not null,
  channel text collate "C" not null,
  recipient text not null,
  sender text not null,
  subject text,
  html text,
  text text,
  body text,
  headers jsonb,
  message_id uuid,
  at timestamptz not null default clock_timestamp()
);
create index message_channel on outbox.message (channel, seq);
