-- Owned by command-api and consumers: text messages from people, from their arrival until it is decided whose they are (M44). `sealed`: the text, under
-- the secret of the installation, which knows no workspace for it yet. `number_key`, `id_key`: keyed digests of the sender's number, and of the gateway's id.
-- `head_*`: where the log was when the text came; null where it could not be asked. A text of a number is decided after those that came
-- before. `due_at` is later while a process decides it.
create table ops.inbound_text (
  seq          bigint generated always as identity primary key,
  number_key   text        not null,
  id_key       text        not null unique,
  is_stop      boolean     not null,
  head_commit  bigint,
  head_prepare bigint,
  sealed       bytea       not null,
  tries        int         not null default 0,
  due_at       timestamptz not null default clock_timestamp()
);

create index inbound_text_number on ops.inbound_text (number_key, seq);
create index inbound_text_due on ops.inbound_text (due_at);
