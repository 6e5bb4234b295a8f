-- Owned by packages/providers: when the next message of a channel may be given to its provider, over all processes, in microseconds since
-- 1970 by this server's clock. Unlogged: after a crash of Postgres the times that were reserved are given out once more, a quarter of a
-- second's worth of each process at most.
create unlogged table ops.send_rate (
  name text   primary key,
  next bigint not null
) with (fillfactor = 50);
