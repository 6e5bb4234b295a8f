-- Campaigns that something is to be done about: when they begin, who is still to get a message, how far planning is. What is here may fall back to
-- an earlier moment of itself, together with the checkpoint of its consumer: the log says what was done (docs/adr/0028).

-- One row a campaign, until it has ended. `due_at`: when it is looked at next, by the clock of the processes. `wakes` counts the events that made it
-- due, so that a look does not undo one that came meanwhile. `recipients`: null until the audience is taken; `after`: contacts up to this id have
-- been begun. `accepted` and `refused`: whether the provider took a message, and how many it refused.
create table ops.campaign_run (
  campaign_id uuid primary key,
  workspace_id uuid not null,
  due_at timestamptz not null,
  wakes bigint not null default 0,
  after uuid not null default '00000000-0000-0000-0000-000000000000',
  recipients integer,
  accepted boolean not null default false,
  refused integer not null default 0,
  touched_at timestamptz not null default clock_timestamp(),
  owner text,
  epoch bigint not null default 0,
  expires_at timestamptz
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500);
create index campaign_run_due on ops.campaign_run (due_at);

-- Who of an audience has no outcome yet.
create table ops.campaign_recipient (
  workspace_id uuid not null,
  campaign_id uuid not null,
  contact_id uuid not null,
  primary key (workspace_id, campaign_id, contact_id)
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000);
