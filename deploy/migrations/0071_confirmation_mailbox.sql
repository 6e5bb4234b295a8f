-- Owned by command-api: how many mails that ask to confirm something were sent to a mailbox, by all workspaces and processes. `mailbox` is a keyed
-- digest of the address without what providers ignore in it; it is of no workspace, because what is counted is what all of them send.
create table ops.confirmation_mailbox (
  mailbox text        primary key,
  ends    timestamptz not null,
  sent    int         not null
) with (fillfactor = 70);

create index confirmation_mailbox_ends on ops.confirmation_mailbox (ends);
