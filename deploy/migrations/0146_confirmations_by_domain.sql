-- Owned by command-api: how many mails that ask to confirm a sign-up were sent to the addresses of a domain, by a workspace, and, in the row of the
-- workspace of zeros, by all; there too, how many sign-ups were confirmed from it. `domain` is a keyed digest of the registered domain.
create table ops.confirmation_domain (
  workspace_id uuid        not null,
  domain       text        not null,
  ends         timestamptz not null,
  sent         int         not null,
  confirmed    float8      not null default 0,
  confirmed_at timestamptz not null default '-infinity',
  primary key (workspace_id, domain)
) with (fillfactor = 70);

create index confirmation_domain_ends on ops.confirmation_domain (ends);

-- What is left of a count of confirmations: half of it is forgotten every 30 days.
create function ops.confirmed_by_now(p_confirmed float8, p_at timestamptz) returns float8 language sql volatile as $f$
  select case when p_confirmed = 0 then 0 else p_confirmed * power(0.5, greatest(0, extract(epoch from clock_timestamp() - p_at)) / (30 * 86400)) end
$f$;

-- As take_form_confirmation_of, and counts the domain: 'domain' with the milliseconds until its window ends, where a workspace sent its addresses
-- `p_unproved` mails in a day and `p_each` for every sign-up that was confirmed from it, or all workspaces `p_together` times as many. Nothing is
-- counted for the workspace then: a flood of one domain leaves the rest of its hour. The rows of the domain are locked before that of the workspace.
create function ops.take_form_confirmation_at(
  p_workspace uuid, p_address text, p_per_workspace int, p_per_address int, p_client text,
  p_domain text, p_unproved int, p_each int, p_together int
) returns table (outcome text, ends_in bigint) language plpgsql as $f$
#variable_conflict use_column
declare
  c_all constant uuid := '00000000-0000-0000-0000-000000000000';
  v_now timestamptz;
  v_all ops.confirmation_domain;
  v_own ops.confirmation_domain;
  v_bound float8;
begin
  insert into ops.confirmation_domain (workspace_id, domain, ends, sent) values (c_all, p_domain, '-infinity', 0), (p_workspace, p_domain, '-infinity', 0)
  on conflict do nothing;
  select * into v_all from ops.confirmation_domain d where d.workspace_id = c_all and d.domain = p_domain for update;
  select * into v_own from ops.confirmation_domain d where d.workspace_id = p_workspace and d.domain = p_domain for update;
  v_now := clock_timestamp();
  v_bound := p_unproved + p_each * round(ops.confirmed_by_now(v_all.confirmed, v_all.confirmed_at));
  if v_own.ends > v_now and v_own.sent >= v_bound then
    return query select 'domain', ceil(extract(epoch from v_own.ends - v_now) * 1000)::bigint;
    return;
  end if;
  if v_all.ends > v_now and v_all.sent >= p_together * v_bound then
    return query select 'domain', ceil(extract(epoch from v_all.ends - v_now) * 1000)::bigint;
    return;
  end if;
  select t.outcome, t.ends_in into outcome, ends_in
    from ops.take_form_confirmation_of(p_workspace, p_address, p_per_workspace, p_per_address, p_client) t;
  if outcome = 'granted' then
    update ops.confirmation_domain d set
      ends = case when d.ends <= v_now then v_now + interval '1 day' else d.ends end,
      sent = case when d.ends <= v_now then 1 else d.sent + 1 end
    where d.domain = p_domain and d.workspace_id in (c_all, p_workspace);
  end if;
  return next;
end $f$;
