-- Notes the provider's answers to messages of campaigns whose recipients are resolved: it accepted one (`p_accepted`), or refused so many. Makes the campaigns
-- due that have no other recipient, and those whose first message it accepted.
create function ops.count_campaign_outcomes(p_campaign uuid[], p_accepted boolean[], p_refused integer[]) returns void
language plpgsql set enable_seqscan = off set enable_bitmapscan = off set plan_cache_mode = force_generic_plan as $f$
begin
  with counted as (
    select r.campaign_id, c.accepted, c.refused,
      not exists (select from ops.campaign_recipient p where p.workspace_id = r.workspace_id and p.campaign_id = r.campaign_id) as over
    from ops.campaign_run r join unnest(p_campaign, p_accepted, p_refused) c(campaign_id, accepted, refused) using (campaign_id)
    order by r.campaign_id for update of r)
  update ops.campaign_run r set accepted = r.accepted or c.accepted, refused = r.refused + c.refused,
    due_at = case when c.over or c.accepted and not r.accepted then '-infinity' else r.due_at end,
    wakes = r.wakes + (c.over or c.accepted and not r.accepted)::int
  from counted c where r.campaign_id = c.campaign_id and (c.over or c.refused > 0 or c.accepted and not r.accepted);
end $f$;

-- Deletes recipients whose messages have an outcome. A process that locks several recipients of a campaign does so in the order of their contacts, so that a
-- planner and the consumer wait for each other, and neither is a deadlock's victim.
create function ops.resolve_recipients(p_workspace uuid[], p_campaign uuid[], p_contact uuid[]) returns void
language plpgsql set enable_seqscan = off set enable_bitmapscan = off set plan_cache_mode = force_generic_plan as $f$
begin
  with locked as materialized (
    select r.ctid as at
    from unnest(p_workspace, p_campaign, p_contact) o(workspace_id, campaign_id, contact_id)
    join ops.campaign_recipient r using (workspace_id, campaign_id, contact_id)
    order by r.workspace_id, r.campaign_id, r.contact_id for update of r)
  delete from ops.campaign_recipient r using locked l where r.ctid = l.at;
end $f$;

-- Takes the outcomes of messages: their recipients (`p_workspace`, `p_recipient_of`, `p_contact`) are resolved, and their campaigns count the provider's answers.
create function ops.resolve_campaign_messages(
  p_workspace uuid[], p_recipient_of uuid[], p_contact uuid[], p_campaign uuid[], p_accepted boolean[], p_refused integer[])
returns boolean language plpgsql set enable_seqscan = off set enable_bitmapscan = off set plan_cache_mode = force_generic_plan as $f$
begin
  perform ops.resolve_recipients(p_workspace, p_recipient_of, p_contact);
  perform ops.count_campaign_outcomes(p_campaign, p_accepted, p_refused);
  return true;
end $f$;
