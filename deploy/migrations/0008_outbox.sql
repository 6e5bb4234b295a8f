-- The development outbox. A crash of Postgres may empty it.

create schema outbox;

create unlogged table outbox.message (
  seq          bigint generated always as identity primary key,
  id           uuid not null unique,
  workspace_id uuid not null,
  channel      text collate "C" not null,
  recipient    text not null,
  sender       text not null,
  subject      text,
  html         text,
  text         text,
  body         text,
  headers      jsonb,
  message_id   uuid,
  at           timestamptz not null default clock_timestamp()
);
comment on table outbox.message is 'One row is a message that would have left the machine, for people to look at.';
create index message_channel on outbox.message (channel, seq);
