-- Where consumers stand in the log, the work they admit, and what could not be done.
--
-- The log is the truth. Everything here may fall back to an earlier moment of itself and the outcome is the same: a checkpoint
-- that falls back is read again from the log, a job that comes back finds its outcome in the log. So these transactions commit
-- without waiting for the disk (synchronous_commit off): the WAL is one sequence, hence what a crash takes is a suffix of it.

create schema if not exists ops;
create schema if not exists inbox;

-- One row a consumer group. `epoch` grows with every owner; who writes with an old epoch writes nothing.
create table ops.consumer_checkpoint (
  consumer_group text collate "C" primary key,
  position_commit bigint not null,
  position_prepare bigint not null,
  owner uuid,
  epoch bigint not null default 0,
  lease_until timestamptz,
  updated_at timestamptz not null default now()
);

-- Moves a group's checkpoint inside the transaction of the effect, if it is where and whose the caller believes.
create function ops.advance_consumer(p_group text, p_epoch bigint, p_from bigint[], p_to bigint[], p_lease_ms bigint)
returns boolean language plpgsql as $f$
begin
  perform set_config('synchronous_commit', 'off', true);
  update ops.consumer_checkpoint set position_commit = p_to[1], position_prepare = p_to[2], updated_at = now(),
    lease_until = clock_timestamp() + p_lease_ms * interval '1 millisecond'
  where consumer_group = p_group and epoch = p_epoch and position_commit = p_from[1] and position_prepare = p_from[2];
  return found;
end $f$;

-- What was set aside so that the rest could go on. An `event` names a place in the log, a `job` carries its reference:
-- no row holds content. `after_*` is the position before the event, from where it can be read again.
create table ops.dead_letter (
  id uuid primary key default gen_random_uuid(),
  source text collate "C" not null check (source in ('event', 'job')),
  consumer text collate "C" not null,
  workspace_id uuid,
  reference text not null,
  after_commit bigint,
  after_prepare bigint,
  lane bigint,
  seq bigint,
  payload text,
  error_class text not null,
  error text not null,
  attempts integer not null default 1,
  state text collate "C" not null default 'open' check (state in ('open', 'redriving', 'redriven', 'discarded')),
  note text,
  first_seen_at timestamptz not null default now(),
  last_seen_at timestamptz not null default now()
);
create unique index dead_letter_reference on ops.dead_letter (consumer, reference);
create index dead_letter_newest on ops.dead_letter (last_seen_at desc, id) where state in ('open', 'redriving');

-- Work that waits. A lane is a 64-bit hash of its name: two names that collide only wait for each other.
-- Every change of a kind's jobs that decides about order happens under that kind's advisory lock, in one short transaction.
--   attempt 0, due_at null  waits behind the head of its lane
--   due_at, token null      may be claimed from due_at on
--   due_at, token           a worker has it until due_at; afterwards it may be claimed again
-- A done job is deleted: the log remembers.
create table inbox.job (
  kind text collate "C" not null,
  lane bigint not null,
  seq bigint not null,
  workspace_id uuid not null,
  payload text not null,
  attempt smallint not null default 0,
  due_at timestamptz,
  token bigint,
  last_error text,
  admitted_at timestamptz not null default clock_timestamp(),
  primary key (kind, lane, seq)
) with (
  fillfactor = 80,
  autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_cost_delay = 0,
  autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 100000, autovacuum_analyze_scale_factor = 0,
  autovacuum_analyze_threshold = 20000
);
create index job_due on inbox.job (kind, workspace_id, due_at) where due_at is not null;
create sequence inbox.claim_token;

create function inbox.lock_kind(p_kind text) returns void language sql as $f$
  select pg_advisory_xact_lock(730511, hashtext(p_kind))
$f$;

-- Statistics cannot help here: the table is empty one moment and holds a million jobs the next. So every look at it is a lateral
-- subquery with a limit, which the planner can only run as a walk down one index per row, and rows are written by ctid.
-- (`coalesce(due_at, …)` keeps job_due out of look-ups that belong to the primary key.)

-- Admits a batch; answers how many were new. A first attempt waits while its lane has another first attempt.
create function inbox.admit(p_kind text, p_workspace uuid[], p_lane text[], p_seq bigint[], p_payload text[])
returns integer language plpgsql as $f$
declare
  v_new integer;
begin
  perform inbox.lock_kind(p_kind);
  with given as (
    select hashtextextended(g.lane, 0) as lane, g.seq, g.workspace_id, g.payload
    from unnest(p_workspace, p_lane, p_seq, p_payload) g(workspace_id, lane, seq, payload)
  ), fresh as materialized (
    select g.*, row_number() over (partition by g.lane order by g.seq) as place
    from given g
    left join lateral (select 1 as yes from inbox.job j where j.kind = p_kind and j.lane = g.lane and j.seq = g.seq limit 1) known on true
    where known.yes is null
  )
  insert into inbox.job (kind, lane, seq, workspace_id, payload, due_at)
  select p_kind, f.lane, f.seq, f.workspace_id, f.payload, case when f.place = 1 and ahead.yes is null then clock_timestamp() end
  from fresh f
  left join lateral (select 1 as yes from inbox.job j where j.kind = p_kind and j.lane = f.lane and j.attempt = 0 limit 1) ahead on true
  order by f.seq;
  get diagnostics v_new = row_count;
  return v_new;
end $f$;

-- Makes the first waiting job of each lane claimable, where the lane's head has gone.
create function inbox.promote(p_kind text, p_lane bigint[]) returns void language plpgsql as $f$
begin
  update inbox.job j set due_at = clock_timestamp()
  from (select distinct l.lane from unnest(p_lane) l(lane)) freed
  cross join lateral (
    select h.ctid, h.due_at from inbox.job h where h.kind = p_kind and h.lane = freed.lane and h.attempt = 0 order by h.seq limit 1
  ) head
  where head.due_at is null and j.ctid = head.ctid;
end $f$;

-- Takes what a worker is through with. Only the token that claimed a job can settle it; anything else is left alone.
-- `p_back_delay` null: done. Otherwise the job is due again after so many milliseconds; `p_back_counts`: as a further attempt.
create function inbox.settle(p_kind text, p_lane bigint[], p_seq bigint[], p_token bigint[], p_back_delay bigint[], p_back_counts boolean[], p_error text[])
returns void language plpgsql as $f$
declare
  v_freed bigint[];
  v_back bigint[];
begin
  perform inbox.lock_kind(p_kind);
  with gone as (
    delete from inbox.job j using unnest(p_lane, p_seq, p_token, p_back_delay) d(lane, seq, token, delay)
    cross join lateral (select h.ctid from inbox.job h where h.kind = p_kind and h.lane = d.lane and h.seq = d.seq and h.token = d.token limit 1) mine
    where d.delay is null and j.ctid = mine.ctid and j.token = d.token returning j.lane
  ) select array_agg(lane) into v_freed from gone;
  if cardinality(array_remove(p_back_delay, null)) > 0 then
    with back as (
      update inbox.job j set token = null, due_at = clock_timestamp() + d.delay * interval '1 millisecond',
        attempt = j.attempt + d.counts::int, last_error = left(coalesce(d.error, j.last_error), 500)
      from unnest(p_lane, p_seq, p_token, p_back_delay, p_back_counts, p_error) d(lane, seq, token, delay, counts, error)
      cross join lateral (select h.ctid from inbox.job h where h.kind = p_kind and h.lane = d.lane and h.seq = d.seq and h.token = d.token limit 1) mine
      where d.delay is not null and j.ctid = mine.ctid and j.token = d.token returning j.lane
    ) select array_agg(lane) into v_back from back;
  end if;
  perform inbox.promote(p_kind, coalesce(v_freed, '{}') || coalesce(v_back, '{}'));
end $f$;

-- Hands out at most `p_limit` due jobs, no two of one lane and none of a lane that is being worked on, in turn among the
-- workspaces that have some. It visits at most `p_limit` workspaces, from the one after `p_after` on. Always at least one row:
-- `next_after` is where the next visit starts (null: from the beginning); `seq` is null where there was nothing.
create function inbox.claim(p_kind text, p_limit integer, p_lease_ms bigint, p_after uuid)
returns table (lane bigint, seq bigint, token bigint, workspace_id uuid, attempt smallint, payload text, next_after uuid)
language plpgsql as $f$
declare
  v_now timestamptz;
  v_token bigint := nextval('inbox.claim_token');
begin
  perform inbox.lock_kind(p_kind);
  v_now := clock_timestamp();
  return query
  with recursive visit(ws, first_due) as (
    (select j.workspace_id, j.due_at from inbox.job j
     where j.kind = p_kind and j.due_at is not null and j.workspace_id > coalesce(p_after, '00000000-0000-0000-0000-000000000000')
     order by j.workspace_id, j.due_at limit 1)
    union all
    select n.* from visit v cross join lateral (
      select j.workspace_id, j.due_at from inbox.job j
      where j.kind = p_kind and j.due_at is not null and j.workspace_id > v.ws order by j.workspace_id, j.due_at limit 1) n
  ), visited as materialized (select * from visit limit p_limit),
  cursor as (select case when count(*) = p_limit then max(ws::text)::uuid end as ws from visited),
  turn as materialized (select v.ws, greatest(1, p_limit / count(*) over ())::int as share from visited v where v.first_due <= v_now),
  candidate as materialized (
    select c.* from turn t cross join lateral (
      select j.ctid as at, j.lane, j.seq, j.due_at from inbox.job j
      where j.kind = p_kind and j.workspace_id = t.ws and j.due_at <= v_now order by j.due_at limit t.share) c
  ), sorted as materialized (
    select c.at, busy.yes is null and row_number() over (partition by c.lane order by c.due_at, c.seq) = 1 as free
    from candidate c left join lateral (
      select 1 as yes from inbox.job r
      where r.kind = p_kind and r.lane = c.lane and r.token is not null and coalesce(r.due_at, '-infinity') > v_now limit 1) busy on true
  ), blocked as (
    -- A retry whose lane is busy comes back in a second, so that a crowd of them cannot hide the jobs behind.
    update inbox.job j set due_at = v_now + interval '1 second' from sorted s where not s.free and j.ctid = s.at
  ), claimed as (
    update inbox.job j set token = v_token, due_at = v_now + p_lease_ms * interval '1 millisecond' from sorted s
    where s.free and j.ctid = s.at and coalesce(j.due_at, 'infinity') <= v_now
    returning j.lane, j.seq, j.workspace_id, j.attempt, j.payload
  )
  select c.lane, c.seq, v_token, c.workspace_id, c.attempt, c.payload, u.ws
  from cursor u left join claimed c on true
  order by row_number() over (partition by c.workspace_id order by c.seq), c.workspace_id;
end $f$;

-- One exchange of a worker: what it is through with, for what is due.
create function inbox.turn(
  p_kind text, p_lane bigint[], p_seq bigint[], p_token bigint[], p_back_delay bigint[], p_back_counts boolean[], p_error text[],
  p_limit integer, p_lease_ms bigint, p_after uuid)
returns table (lane bigint, seq bigint, token bigint, workspace_id uuid, attempt smallint, payload text, next_after uuid)
language plpgsql as $f$
begin
  perform set_config('synchronous_commit', 'off', true);
  if cardinality(p_lane) > 0 then
    perform inbox.settle(p_kind, p_lane, p_seq, p_token, p_back_delay, p_back_counts, p_error);
  end if;
  if p_limit > 0 then
    return query select * from inbox.claim(p_kind, p_limit, p_lease_ms, p_after);
  end if;
end $f$;

-- Sets a job aside for a person to look at; its lane goes on. Answers the dead letter's id, or null when the token is not the job's.
create function inbox.bury(p_kind text, p_lane bigint, p_seq bigint, p_token bigint, p_class text, p_error text)
returns uuid language plpgsql as $f$
declare
  v_job inbox.job;
  v_id uuid;
begin
  perform inbox.lock_kind(p_kind);
  delete from inbox.job j where j.kind = p_kind and j.lane = p_lane and j.seq = p_seq and j.token = p_token returning j.* into v_job;
  if not found then return null; end if;
  insert into ops.dead_letter as d (source, consumer, workspace_id, reference, lane, seq, payload, error_class, error, attempts)
  values ('job', p_kind, v_job.workspace_id, v_job.lane || '/' || v_job.seq, v_job.lane, v_job.seq, v_job.payload, p_class, left(p_error, 2000), v_job.attempt + 1)
  on conflict (consumer, reference) do update
    set attempts = d.attempts + excluded.attempts, error_class = excluded.error_class, error = excluded.error, state = 'open', note = null, last_seen_at = now()
  returning d.id into v_id;
  perform inbox.promote(p_kind, array[p_lane]);
  return v_id;
end $f$;

-- Puts a buried job back into its lane as a first attempt. Answers false when there is no such open dead letter.
create function inbox.exhume(p_id uuid) returns boolean language plpgsql as $f$
declare
  v_dead ops.dead_letter;
begin
  select d.* into v_dead from ops.dead_letter d where d.id = p_id and d.source = 'job' and d.state = 'open' for update;
  if not found then return false; end if;
  perform inbox.lock_kind(v_dead.consumer);
  insert into inbox.job (kind, lane, seq, workspace_id, payload)
  values (v_dead.consumer, v_dead.lane, v_dead.seq, v_dead.workspace_id, v_dead.payload) on conflict do nothing;
  if not exists (select from inbox.job j where j.kind = v_dead.consumer and j.lane = v_dead.lane and j.attempt = 0 and j.due_at is not null) then
    perform inbox.promote(v_dead.consumer, array[v_dead.lane]);
  end if;
  update ops.dead_letter set state = 'redriven', last_seen_at = now() where id = p_id;
  return true;
end $f$;

alter function inbox.admit set enable_seqscan = off set enable_bitmapscan = off set plan_cache_mode = force_generic_plan;
alter function inbox.turn set enable_seqscan = off set enable_bitmapscan = off set plan_cache_mode = force_generic_plan;
