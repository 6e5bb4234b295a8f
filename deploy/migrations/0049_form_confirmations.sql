-- Owned by command-api: how many mails that ask to confirm a sign-up were sent, over all processes. `address` is a keyed digest of the
-- address, and empty for the workspace as a whole. A window opens with its first mail.
create table ops.form_confirmation (
  workspace_id uuid        not null,
  address      text        not null,
  ends         timestamptz not null,
  sent         int         not null,
  primary key (workspace_id, address)
) with (fillfactor = 70);

create index form_confirmation_ends on ops.form_confirmation (ends);

-- Counts one mail to the address, unless one of the limits is reached: 'granted', 'address', or 'workspace' with the milliseconds until its
-- window ends. Of a workspace at most `p_per_workspace` an hour, of an address in it at most `p_per_address` a day, whatever runs at once:
-- the row of the workspace is locked first.
create function ops.take_form_confirmation(p_workspace uuid, p_address text, p_per_workspace int, p_per_address int)
returns table (outcome text, ends_in bigint) language plpgsql as $f$
declare
  v_now timestamptz;
  v_whole ops.form_confirmation;
  v_one ops.form_confirmation;
begin
  loop
    select * into v_whole from ops.form_confirmation f where f.workspace_id = p_workspace and f.address = '' for update;
    exit when found;
    insert into ops.form_confirmation values (p_workspace, '', '-infinity', 0) on conflict do nothing;
  end loop;
  v_now := clock_timestamp();
  if v_whole.ends <= v_now then
    v_whole.ends := v_now + interval '1 hour';
    v_whole.sent := 0;
  end if;
  if v_whole.sent >= p_per_workspace then
    return query select 'workspace', ceil(extract(epoch from v_whole.ends - v_now) * 1000)::bigint;
    return;
  end if;
  select * into v_one from ops.form_confirmation f where f.workspace_id = p_workspace and f.address = p_address;
  if v_one.ends > v_now and v_one.sent >= p_per_address then
    return query select 'address', 0::bigint;
    return;
  end if;
  insert into ops.form_confirmation as f values (p_workspace, p_address, v_now + interval '1 day', 1)
  on conflict (workspace_id, address) do update set
    ends = case when f.ends <= v_now then excluded.ends else f.ends end,
    sent = case when f.ends <= v_now then 1 else f.sent + 1 end;
  update ops.form_confirmation f set ends = v_whole.ends, sent = v_whole.sent + 1 where f.workspace_id = p_workspace and f.address = '';
  return query select 'granted', 0::bigint;
end $f$;
