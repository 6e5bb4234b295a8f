-- What somebody who is signed in did that leaves no event in the log: looks, links, deliveries that were asked for (M86).

-- One row is written before what was asked for is done or answered. `place` is as that of `read.audit`, so that both are read as one. Rows end after 90 days.
create table ops.noted_act (
  workspace_id uuid        not null,
  place        text        collate "C" not null,
  at           timestamptz not null,
  actor        text        not null,
  what         text        not null,
  thing        text,
  request_id   text        not null,
  primary key (workspace_id, place)
);
create index noted_act_by_actor on ops.noted_act (workspace_id, actor, place);
comment on table ops.noted_act is 'One row is what somebody who is signed in did that leaves no event: a look at content, an export, a proof, a link, a delivery.';
