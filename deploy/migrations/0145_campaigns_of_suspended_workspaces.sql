-- Since when a campaign that is being sent has found its workspace suspended; null while it has not.
alter table ops.campaign_run add column suspended_since timestamptz;
