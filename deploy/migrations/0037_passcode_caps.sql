-- Owned by packages/passcodes: how often passcodes were asked for. Numbers and prefixes stand here as HMACs under the workspace's secret.
-- Times are milliseconds since 1970 by this server's clock. Rows whose time is over are deleted by the retention.

-- The last sends to a number, oldest first, as many as the cap allows.
create table ops.passcode_number (
  workspace_id uuid not null,
  number       text collate "C" not null,
  sent         bigint[] not null,
  last_at      bigint not null,
  primary key (workspace_id, number)
) with (fillfactor = 70);
create index passcode_number_last on ops.passcode_number (last_at);

-- Sends in the window that ends at `ends`: to the numbers of one prefix, or of the whole workspace where `prefix` is empty.
create table ops.passcode_window (
  workspace_id uuid not null,
  prefix       text collate "C" not null,
  ends         bigint not null,
  used         int not null,
  primary key (workspace_id, prefix)
) with (fillfactor = 50);
create index passcode_window_ends on ops.passcode_window (ends);

-- The locked row of the window that is open now; `used` and `ends` are not written yet.
create function ops.lock_passcode_window(p_workspace uuid, p_prefix text, p_ms bigint)
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
  if r.ends <= v_now then
    r.ends := v_now + p_ms;
    r.used := 0;
  end if;
  return r;
end $f$;

-- Counts one send against all three caps, or against none and says which one refuses it and for how many milliseconds. A limit that is null
-- is off. Always locks workspace, prefix, number, in this order. The number's cap slides: a send is allowed when the one `p_sends` before it is
-- `p_sends_ms` old. Not flushed: a crash of Postgres forgets the last fraction of a second.
create function ops.take_passcode(
  p_workspace uuid, p_number text, p_prefix text, p_sends int, p_sends_ms bigint, p_workspace_limit int, p_prefix_limit int, p_ms bigint)
returns table (refused text, retry_ms bigint) language plpgsql as $f$
declare
  v_all ops.passcode_window;
  v_prefix ops.passcode_window;
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
    v_now := ops.now_ms();
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
    if v_sent is null then
      insert into ops.passcode_number values (p_workspace, p_number, array[v_now], v_now) on conflict do nothing;
      -- Another one came first: its row is there now.
      exit when found;
    else
      update ops.passcode_number n
      set sent = case when cardinality(n.sent) >= p_sends then n.sent[cardinality(n.sent) - p_sends + 2:] else n.sent end || v_now, last_at = v_now
      where n.workspace_id = p_workspace and n.number = p_number;
      exit;
    end if;
  end loop;
  update ops.passcode_window w set ends = v_all.ends, used = v_all.used + 1 where w.workspace_id = p_workspace and w.prefix = v_all.prefix;
  update ops.passcode_window w set ends = v_prefix.ends, used = v_prefix.used + 1 where w.workspace_id = p_workspace and w.prefix = v_prefix.prefix;
end $f$;
