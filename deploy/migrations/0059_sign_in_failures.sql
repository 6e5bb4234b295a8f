-- Owned by packages/sign-in: sign-ins that failed, or whose end is not known yet, over all processes. Unlogged: after a crash of Postgres the
-- counts begin anew. `whom` is a hash of the address; `failed` are milliseconds since 1970 by this server's clock, oldest first, each once.
create unlogged table ops.sign_in_failure (
  whom    bytea    primary key,
  failed  bigint[] not null,
  last_at bigint   not null
) with (fillfactor = 70);

create index sign_in_failure_last on ops.sign_in_failure (last_at);

-- Counts a sign-in as failed and says under which moment; or counts nothing and says in how many milliseconds the oldest of `p_max` is over.
create function ops.take_sign_in(p_whom bytea, p_max int, p_ms bigint)
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
  select coalesce(array_agg(t order by t), '{}') into v_failed from unnest(v_failed) t where t > v_now - p_ms;
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
