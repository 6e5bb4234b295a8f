-- Mails with a link that signs in once (M93).

create table ops.link_mails (
  workspace_id uuid        primary key,
  ends         timestamptz not null,
  sent         integer     not null
) with (fillfactor = 70);
comment on table ops.link_mails is 'One row is the mails with a sign-in link that a workspace asked for within a day, from the first of them on.';
