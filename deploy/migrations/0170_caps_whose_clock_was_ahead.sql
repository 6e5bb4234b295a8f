-- As 0097, for sign-ins and for mails that ask to confirm: a moment that this server's clock has not reached was written while the clock was ahead.
-- What it counts is over, so that no person, address, workspace or domain is refused until that time comes (docs/reference/rules.md, M55).

create or replace function ops.take_sign_in(p_whom bytea, p_max int, p_ms bigint)
returns table (counted_at bigint, retry_ms bigint) language plpgsql as $f$
declare
  v_failed bigint[];
  v_now bigint;
begin
  loop
    select f.failed into v_failed from ops.sign_in_failure f where f.whom = p_whom for update;
    exit when found;
    insert into ops.sign_in_failure values (p_whom, '{}', 0) on conflict do nothing;
  end loop;
  v_now := ops.now_ms();
  -- Those of one moment stand some milliseconds apart, so up to a second ahead.
  select coalesce(array_agg(t order by t), '{}') into v_failed from unnest(v_failed) t where t > v_now - p_ms and t <= v_now + 1000;
  if cardinality(v_failed) >= p_max then
    return query select null::bigint, v_failed[1] + p_ms - v_now;
    return;
  end if;
  -- Two in one millisecond are told apart when one of them is given back.
  if v_now <= v_failed[cardinality(v_failed)] then
    v_now := v_failed[cardinality(v_failed)] + 1;
  end if;
  update ops.sign_in_failure f set failed = v_failed || v_now, last_at = v_now where f.whom = p_whom;
  return query select v_now, null::bigint;
end $f$;

-- Whether a window of that length is open: one that ends later than one that opens now is of a clock that was ahead.
create function ops.is_open(p_ends timestamptz, p_length interval, p_now timestamptz) returns boolean language sql stable as $f$
  select coalesce(p_ends > p_now and p_ends <= p_now + p_length, false)
$f$;

create or replace function ops.take_form_confirmation(p_workspace uuid, p_address text, p_per_workspace int, p_per_address int)
returns table (outcome text, ends_in bigint) language plpgsql as $f$
declare
  c_hour constant interval := interval '1 hour';
  c_day constant interval := interval '1 day';
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
  if not ops.is_open(v_whole.ends, c_hour, v_now) then
    v_whole.ends := v_now + c_hour;
    v_whole.sent := 0;
  end if;
  if v_whole.sent >= p_per_workspace then
    return query select 'workspace', ceil(extract(epoch from v_whole.ends - v_now) * 1000)::bigint;
    return;
  end if;
  select * into v_one from ops.form_confirmation f where f.workspace_id = p_workspace and f.address = p_address;
  if ops.is_open(v_one.ends, c_day, v_now) and v_one.sent >= p_per_address then
    return query select 'address', 0::bigint;
    return;
  end if;
  insert into ops.form_confirmation as f values (p_workspace, p_address, v_now + c_day, 1)
  on conflict (workspace_id, address) do update set
    ends = case when ops.is_open(f.ends, c_day, v_now) then f.ends else excluded.ends end,
    sent = case when ops.is_open(f.ends, c_day, v_now) then f.sent + 1 else 1 end;
  update ops.form_confirmation f set ends = v_whole.ends, sent = v_whole.sent + 1 where f.workspace_id = p_workspace and f.address = '';
  return query select 'granted', 0::bigint;
end $f$;

create or replace function ops.take_form_confirmation_of(p_workspace uuid, p_address text, p_per_workspace int, p_per_address int, p_client text)
returns table (outcome text, ends_in bigint) language plpgsql as $f$
#variable_conflict use_column
declare
  c_hour constant interval := interval '1 hour';
  v_whole ops.form_confirmation;
  v_client ops.form_confirmation;
  v_bound int := p_per_workspace;
begin
  -- The row of the workspace first, as the function that this one calls: whatever runs at once waits here.
  select * into v_whole from ops.form_confirmation f where f.workspace_id = p_workspace and f.address = '' for update;
  if found and p_client is not null and ops.is_open(v_whole.ends, c_hour, clock_timestamp()) and v_whole.sent >= p_per_workspace then
    select * into v_client from ops.form_confirmation f where f.workspace_id = p_workspace and f.address = p_client;
    if not ops.is_open(v_client.ends, c_hour, clock_timestamp()) then
      v_bound := 2 * p_per_workspace;
    end if;
  end if;
  select t.outcome, t.ends_in into outcome, ends_in from ops.take_form_confirmation(p_workspace, p_address, v_bound, p_per_address) t;
  if outcome = 'granted' and p_client is not null then
    insert into ops.form_confirmation as f values (p_workspace, p_client, clock_timestamp() + c_hour, 1)
    on conflict (workspace_id, address) do update set
      ends = case when ops.is_open(f.ends, c_hour, clock_timestamp()) then f.ends else excluded.ends end,
      sent = case when ops.is_open(f.ends, c_hour, clock_timestamp()) then f.sent + 1 else 1 end;
  end if;
  return next;
end $f$;

-- What is left in a bucket of `p_size`, which empties in a day.
create or replace function ops.filled_by_now(p_filled float8, p_at timestamptz, p_size float8) returns float8 language sql volatile as $f$
  select case when coalesce(p_filled, 0) = 0 or p_at > clock_timestamp() + interval '1 second' then 0
    else greatest(0, p_filled - p_size * greatest(0, extract(epoch from clock_timestamp() - p_at)) / 86400) end
$f$;
