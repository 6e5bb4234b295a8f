-- How far campaigns are ahead of the consumers that admit their messages, and for how long their provider has refused.

-- `begun`: the place in the log of the last message that was begun, which the consumer group `admitted_by` admits; `ahead`: how many were begun since
-- that group was last seen to have admitted all of them. `refusing_since`: when the provider was seen to have taken none of many messages;
-- `refused_tries`: how many looks since then found it to have refused another, `refused_seen`: how many it had refused at the last of these.
alter table ops.campaign_run
  add column begun bigint not null default 0,
  add column admitted_by text collate "C",
  add column ahead integer not null default 0,
  add column refusing_since timestamptz,
  add column refused_tries integer not null default 0,
  add column refused_seen integer not null default 0;

-- What a workspace has between two tries: a look at the room of its lanes counts it.
create index job_retrying on inbox.job (kind, workspace_id, due_at) where attempt > 0;
