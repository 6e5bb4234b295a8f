-- Messages of flow runs that are queued: which run a message's outcome lets go on. A row is written before its message is accepted, and deleted
-- once the run has gone on.
create table ops.flow_message (
  message_id uuid primary key,
  workspace_id uuid not null,
  flow_id uuid not null,
  contact_id uuid not null
);

-- Marketing messages that passed the checks, for the frequency cap; one that then was not sent is deleted. Kept for as long as the longest
-- window of a cap (90 days).
create table ops.marketing_message (
  workspace_id uuid not null,
  contact_id uuid not null,
  channel text collate "C" not null,
  message_id uuid not null,
  passed_at timestamptz not null default clock_timestamp(),
  primary key (workspace_id, contact_id, channel, message_id)
);
create index marketing_message_age on ops.marketing_message (passed_at);
