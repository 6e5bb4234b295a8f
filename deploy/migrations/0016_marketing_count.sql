-- Judges marketing messages by the cap of their workspace, and counts those that are within it and are to be counted (`p_counts`): one statement and one
-- commit for all that are judged at once. A message is counted once, however often it is tried. Answers in the order of the messages. Two that are judged at
-- once are not of one contact and channel: a lane has one message at work.
create function ops.count_marketing(
  p_workspace uuid[], p_contact uuid[], p_channel text[], p_message uuid[], p_max integer[], p_days integer[], p_counts boolean[])
returns boolean[]
language plpgsql set enable_seqscan = off set enable_bitmapscan = off set plan_cache_mode = force_generic_plan as $f$
declare
  v_fits boolean[];
begin
  with judged as materialized (
    select a.*, others.passed < a.most as fits
    from unnest(p_workspace, p_contact, p_channel, p_message, p_max, p_days, p_counts) with ordinality
      a(workspace_id, contact_id, channel, message_id, most, days, counts, nth)
    cross join lateral (
      select count(*) as passed from (
        select from ops.marketing_message m
        where m.workspace_id = a.workspace_id and m.contact_id = a.contact_id and m.channel = a.channel and m.message_id <> a.message_id
          and m.passed_at > clock_timestamp() - a.days * interval '1 day'
        limit a.most) m) others
  ), counted as (
    insert into ops.marketing_message (workspace_id, contact_id, channel, message_id)
    select distinct j.workspace_id, j.contact_id, j.channel, j.message_id from judged j where j.fits and j.counts order by 1, 2, 3, 4
    on conflict do nothing
  )
  select array_agg(j.fits order by j.nth) into v_fits from judged j;
  return v_fits;
end $f$;
