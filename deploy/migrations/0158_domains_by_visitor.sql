-- Owned by command-api. A domain's mails fill a bucket that empties in a day, in place of a window: `filled` mails were in it at `filled_at`. Who is refused
-- waits for one to leave it, and not for a day to end. A row of the workspace of zeros whose `domain` is a keyed digest of a domain and a visitor counts
-- what he made all workspaces send there. `ends`: when nothing is left to know; `sent` counts for processes of the version before alone.
alter table ops.confirmation_domain
  add column filled    float8      not null default 0,
  add column filled_at timestamptz not null default '-infinity',
  alter column sent set default 0,
  alter column ends set default '-infinity';

-- What is left in a bucket of `p_size`, which empties in a day.
create function ops.filled_by_now(p_filled float8, p_at timestamptz, p_size float8) returns float8 language sql volatile as $f$
  select case when coalesce(p_filled, 0) = 0 then 0 else greatest(0, p_filled - p_size * extract(epoch from clock_timestamp() - p_at) / 86400) end
$f$;

-- As take_form_confirmation_of, and counts the domain and who asks for it (`p_visitor`, null where he is not known): 'domain' with the milliseconds
-- until the next mail to it may be sent. A bucket holds `p_unproved` mails and `p_each` for every sign-up that was confirmed from the domain: that of
-- a workspace once, that of all workspaces `p_together` times, that of a visitor the part `p_visitors` of it. In a full bucket a visitor without
-- a mail to the domain gets one all the same, up to as many again. Where the bucket of all is full, a workspace may still send as many as were
-- confirmed from the domain. Nothing is counted for the workspace of what the domain refuses.
create function ops.take_form_confirmation_by(
  p_workspace uuid, p_address text, p_per_workspace int, p_per_address int, p_client text,
  p_domain text, p_visitor text, p_unproved int, p_each int, p_together int, p_visitors float8
) returns table (outcome text, ends_in bigint) language plpgsql as $f$
#variable_conflict use_column
declare
  c_all constant uuid := '00000000-0000-0000-0000-000000000000';
  c_day constant float8 := 86400000;
  v_all ops.confirmation_domain;
  v_own ops.confirmation_domain;
  v_his ops.confirmation_domain;
  v_confirmed float8;
  v_size float8;
  v_all_filled float8;
  v_own_filled float8;
  v_his_filled float8;
  v_times int := 1;
  v_wait float8 := 0;
begin
  -- The domain before the workspace, as take_form_confirmation_at. Rows are written for a mail alone: a flood of made-up domains leaves none.
  perform pg_advisory_xact_lock(730158, hashtext(p_domain));
  select * into v_all from ops.confirmation_domain d where d.workspace_id = c_all and d.domain = p_domain for update;
  select * into v_own from ops.confirmation_domain d where d.workspace_id = p_workspace and d.domain = p_domain for update;
  select * into v_his from ops.confirmation_domain d where d.workspace_id = c_all and d.domain = p_visitor;
  v_confirmed := round(coalesce(ops.confirmed_by_now(v_all.confirmed, v_all.confirmed_at), 0));
  v_size := p_unproved + p_each * v_confirmed;
  v_all_filled := ops.filled_by_now(v_all.filled, v_all.filled_at, p_together * v_size);
  v_own_filled := ops.filled_by_now(v_own.filled, v_own.filled_at, v_size);
  v_his_filled := ops.filled_by_now(v_his.filled, v_his.filled_at, p_visitors * v_size);
  if p_visitor is not null and v_his_filled = 0 then
    v_times := 2;
  end if;
  if p_visitor is not null and v_his_filled + 1 > p_visitors * v_size then
    v_wait := (v_his_filled + 1 - p_visitors * v_size) / (p_visitors * v_size);
  end if;
  if v_own_filled + 1 > v_times * v_size then
    v_wait := greatest(v_wait, (v_own_filled + 1 - v_times * v_size) / v_size);
  end if;
  if v_all_filled + 1 > v_times * p_together * v_size and v_own_filled + 1 > v_confirmed then
    v_wait := greatest(v_wait, (v_all_filled + 1 - v_times * p_together * v_size) / (p_together * v_size));
  end if;
  if v_wait > 0 then
    if p_visitor is not null and v_times = 1 then
      -- Once the visitor's own mails are forgotten, he is one without a mail.
      v_wait := least(v_wait, greatest(v_his_filled / (p_visitors * v_size), (v_own_filled + 1 - 2 * v_size) / v_size,
        (v_all_filled + 1 - 2 * p_together * v_size) / (p_together * v_size)));
    end if;
    return query select 'domain', greatest(1, ceil(v_wait * c_day))::bigint;
    return;
  end if;
  select t.outcome, t.ends_in into outcome, ends_in
    from ops.take_form_confirmation_of(p_workspace, p_address, p_per_workspace, p_per_address, p_client) t;
  if outcome = 'granted' then
    insert into ops.confirmation_domain as d (workspace_id, domain, filled, filled_at, ends)
    select f.workspace_id, f.domain, f.filled + 1, clock_timestamp(), clock_timestamp() + make_interval(secs => 86400 * (f.filled + 1) / f.size)
      from (values (c_all, p_domain, v_all_filled, p_together * v_size), (p_workspace, p_domain, v_own_filled, v_size),
                   (c_all, p_visitor, v_his_filled, p_visitors * v_size)) f (workspace_id, domain, filled, size)
      where f.domain is not null
    on conflict (workspace_id, domain) do update set
      filled = excluded.filled, filled_at = excluded.filled_at, ends = greatest(d.ends, excluded.ends);
  end if;
  return next;
end $f$;
