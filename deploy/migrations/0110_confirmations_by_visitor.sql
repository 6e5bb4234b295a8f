-- Owned by command-api. As take_form_confirmation of migration 0049, and counts who asks: `p_client` is a keyed digest of the visitor, in a row of
-- `ops.form_confirmation` like that of an address. Once the workspace has sent its share of the hour, a visitor without a mail in that hour gets one
-- all the same, until as many again are sent: what is refused is the flood, and not the visitor beside it.
create function ops.take_form_confirmation_of(p_workspace uuid, p_address text, p_per_workspace int, p_per_address int, p_client text)
returns table (outcome text, ends_in bigint) language plpgsql as $f$
#variable_conflict use_column
declare
  v_whole ops.form_confirmation;
  v_client ops.form_confirmation;
  v_bound int := p_per_workspace;
begin
  -- The row of the workspace first, as the function that this one calls: whatever runs at once waits here.
  select * into v_whole from ops.form_confirmation f where f.workspace_id = p_workspace and f.address = '' for update;
  if found and p_client is not null and v_whole.ends > clock_timestamp() and v_whole.sent >= p_per_workspace then
    select * into v_client from ops.form_confirmation f where f.workspace_id = p_workspace and f.address = p_client;
    if v_client.ends is null or v_client.ends <= clock_timestamp() then
      v_bound := 2 * p_per_workspace;
    end if;
  end if;
  select t.outcome, t.ends_in into outcome, ends_in from ops.take_form_confirmation(p_workspace, p_address, v_bound, p_per_address) t;
  if outcome = 'granted' and p_client is not null then
    insert into ops.form_confirmation as f values (p_workspace, p_client, clock_timestamp() + interval '1 hour', 1)
    on conflict (workspace_id, address) do update set
      ends = case when f.ends <= clock_timestamp() then excluded.ends else f.ends end,
      sent = case when f.ends <= clock_timestamp() then 1 else f.sent + 1 end;
  end if;
  return next;
end $f$;
