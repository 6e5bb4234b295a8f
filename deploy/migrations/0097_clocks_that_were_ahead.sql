-- A moment that this server's clock has not reached was written while the clock was ahead, by an hour or by years. What it counts ends as if it had
-- been written now, so that no number, prefix, workspace or caller is refused until that time comes (docs/reference/rules.md, M55).

create or replace function ops.lock_passcode_window(p_workspace uuid, p_prefix text, p_ms bigint)
returns ops.passcode_window language plpgsql as $f$
declare
  r ops.passcode_window;
  v_now bigint;
begin
  loop
    select * into r from ops.passcode_window w where w.workspace_id = p_workspace and w.prefix = p_prefix for update;
    exit when found;
    insert into ops.passcode_window values (p_workspace, p_prefix, 0, 0) on conflict do nothing;
  end loop;
  v_now := ops.now_ms();
  -- No window that was opened by now ends later than this.
  if r.ends <= v_now or r.ends > v_now + p_ms then
    r.ends := v_now + p_ms;
    r.used := 0;
  end if;
  return r;
end $f$;

-- As in 0037, without the sends of a time that has not come.
create or replace function ops.take_passcode(
  p_workspace uuid, p_number text, p_prefix text, p_sends int, p_sends_ms bigint, p_workspace_limit int, p_prefix_limit int, p_ms bigint)
returns table (refused text, retry_ms bigint) language plpgsql as $f$
declare
  v_all ops.passcode_window;
  v_prefix ops.passcode_window;
  v_known boolean;
  v_sent bigint[];
  v_now bigint;
begin
  perform set_config('synchronous_commit', 'off', true);
  if p_workspace_limit is not null then
    v_all := ops.lock_passcode_window(p_workspace, '', p_ms);
  end if;
  if p_prefix_limit is not null then
    v_prefix := ops.lock_passcode_window(p_workspace, p_prefix, p_ms);
  end if;
  loop
    select n.sent into v_sent from ops.passcode_number n where n.workspace_id = p_workspace and n.number = p_number for update;
    v_known := found;
    v_now := ops.now_ms();
    select coalesce(array_agg(t order by t), '{}') into v_sent from unnest(v_sent) t where t <= v_now;
    if cardinality(v_sent) >= p_sends and v_sent[1] + p_sends_ms > v_now then
      return query select 'number', v_sent[1] + p_sends_ms - v_now;
      return;
    elsif v_prefix.used >= p_prefix_limit then
      return query select 'prefix', v_prefix.ends - v_now;
      return;
    elsif v_all.used >= p_workspace_limit then
      return query select 'workspace', v_all.ends - v_now;
      return;
    end if;
    if not v_known then
      insert into ops.passcode_number values (p_workspace, p_number, array[v_now], v_now) on conflict do nothing;
      -- Another one came first: its row is there now.
      exit when found;
    else
      update ops.passcode_number n
      set sent = case when cardinality(v_sent) >= p_sends then v_sent[cardinality(v_sent) - p_sends + 2:] else v_sent end || v_now, last_at = v_now
      where n.workspace_id = p_workspace and n.number = p_number;
      exit;
    end if;
  end loop;
  update ops.passcode_window w set ends = v_all.ends, used = v_all.used + 1 where w.workspace_id = p_workspace and w.prefix = v_all.prefix;
  update ops.passcode_window w set ends = v_prefix.ends, used = v_prefix.used + 1 where w.workspace_id = p_workspace and w.prefix = v_prefix.prefix;
end $f$;

-- As in 0010: a window, or a block, that ends later than one that begins now is of a clock that was ahead.
create or replace function ops.take_rates(p_key uuid[], p_limit int[], p_want int[], p_ahead int[], p_window bigint[], p_spent int[], p_ms bigint)
returns table (item int, granted int, ahead int, used int, "window" bigint, ends_in bigint, blocked_for bigint) language plpgsql as $f$
declare
  r ops.rate_window;
  v_now bigint;
begin
  for item in select o from unnest(p_key) with ordinality k(key, o) order by key loop
    loop
      select * into r from ops.rate_window w where w.key = p_key[item] for update;
      exit when found;
      insert into ops.rate_window values (p_key[item], 0, 0, 0, 0) on conflict do nothing;
    end loop;
    v_now := ops.now_ms();
    if greatest(r.ends, r.blocked) > v_now + p_ms then
      r := (r.key, 0, 0, 0, 0);
    end if;
    granted := 0;
    ahead := 0;
    if r.blocked <= v_now then
      if r.blocked > 0 or r.ends <= v_now then
        r := (r.key, v_now + p_ms, 0, 0, 0);
      elsif r.ends = p_window[item] then
        r.used := r.used + p_spent[item];
        r.held := greatest(r.held - p_spent[item], 0);
      end if;
      granted := least(p_want[item], greatest(p_limit[item] - r.used, 0));
      r.used := r.used + granted;
      if granted < p_want[item] then
        r.blocked := v_now + p_ms;
      else
        ahead := greatest(least(p_ahead[item], (p_limit[item] / 20 - r.held + 1) / 2, p_limit[item] - r.used - r.held), 0);
        r.held := r.held + ahead;
      end if;
      update ops.rate_window w set ends = r.ends, used = r.used, held = r.held, blocked = r.blocked where w.key = r.key;
    end if;
    used := r.used;
    "window" := r.ends;
    ends_in := r.ends - v_now;
    blocked_for := r.blocked - v_now;
    return next;
  end loop;
end $f$;
