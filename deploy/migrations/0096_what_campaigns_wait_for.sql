-- Why an audience is not taken yet; null where nothing but the read side is waited for. One that had to wait is taken as of when it is taken.
alter table ops.campaign_run add column waits_for text;
