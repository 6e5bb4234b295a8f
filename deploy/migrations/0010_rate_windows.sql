-- Owned by packages/http: requests counted over all processes. Unlogged: after a crash of Postgres every window begins anew, as in one
-- process that starts again. `key` is a hash of who is counted where; times are milliseconds since 1970 by this server's clock.
--   used  requests that were let through and reported
--   held  requests that processes may still let through without asking: at most a twentieth of the limit, all together
create unlogged table ops.rate_window (
  key     uuid   primary key,
  ends    bigint not null,
  used    int    not null,
  held    int    not null,
  blocked bigint not null
) with (fillfactor = 50);

create function ops.now_ms() returns bigint language sql volatile as $f$
  select (extract(epoch from clock_timestamp()) * 1000)::bigint
$f$;

-- For each key: reports `p_spent` of what was held in `p_window`, lets through up to `p_want` requests now, and hands out at most `p_ahead`
-- to be used without asking. Over all processes between limit and limit * 1.05 requests pass before the window is blocked:
-- while used < limit, used + held <= limit + limit / 20; and nobody is refused before used = limit.
-- A window opens with its first request; the request over the limit blocks the key for a whole window from then on.
create function ops.take_rates(p_key uuid[], p_limit int[], p_want int[], p_ahead int[], p_window bigint[], p_spent int[], p_ms bigint)
returns table (item int, granted int, ahead int, used int, "window" bigint, ends_in bigint, blocked_for bigint) language plpgsql as $f$
declare
  r ops.rate_window;
  v_now bigint;
begin
  -- Everybody locks in the order of the keys: two processes never wait for each other.
  for item in select o from unnest(p_key) with ordinality k(key, o) order by key loop
    loop
      select * into r from ops.rate_window w where w.key = p_key[item] for update;
      exit when found;
      insert into ops.rate_window values (p_key[item], 0, 0, 0, 0) on conflict do nothing;
    end loop;
    v_now := ops.now_ms();
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
        -- Half of what is left, so that the next process finds some too.
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
