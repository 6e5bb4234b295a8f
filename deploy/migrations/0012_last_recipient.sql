-- Whether a campaign has a recipient without an outcome is looked for from its last one on. Recipients are begun, and get their outcomes, in the order of their
-- contacts: from the first on, each look walked over all that were deleted since the last vacuum, and while another transaction was open (a backup, a long
-- report) a campaign of twice the size spent four times as long on it.
create or replace function ops.count_campaign_outcomes(p_campaign uuid[], p_accepted boolean[], p_refused integer[]) returns void
language plpgsql set enable_seqscan = off set enable_bitmapscan = off set plan_cache_mode = force_generic_plan as $f$
begin
  with counted as (
    select r.campaign_id, c.accepted, c.refused, last.contact_id is null as over
    from ops.campaign_run r join unnest(p_campaign, p_accepted, p_refused) c(campaign_id, accepted, refused) using (campaign_id)
    left join lateral (
      select p.contact_id from ops.campaign_recipient p where p.workspace_id = r.workspace_id and p.campaign_id = r.campaign_id
      order by p.contact_id desc limit 1) last on true
    order by r.campaign_id for update of r)
  update ops.campaign_run r set accepted = r.accepted or c.accepted, refused = r.refused + c.refused,
    due_at = case when c.over or c.accepted and not r.accepted then '-infinity' else r.due_at end,
    wakes = r.wakes + (c.over or c.accepted and not r.accepted)::int
  from counted c where r.campaign_id = c.campaign_id and (c.over or c.refused > 0 or c.accepted and not r.accepted);
end $f$;
