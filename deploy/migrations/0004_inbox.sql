-- Work that consumers admit and workers do (packages/jobs).
--
-- The log is the truth. All of this may fall back to an earlier moment of itself, and the outcome is the same: a job that comes back finds its outcome in
-- the log. So these transactions commit without waiting for the disk (synchronous_commit off): the WAL is one sequence, hence what a crash takes is a
-- suffix of it.
--
-- Statistics cannot help here: the table is empty one moment and holds a million jobs the next. So every look at it is a lateral subquery with a limit,
-- which the planner can only run as a walk down one index per row, and rows are written by ctid. Functions that are called from outside switch the other
-- plans off, and the functions that these call inherit that. (`coalesce(due_at, …)` keeps job_due out of look-ups that belong to the primary key.)

create schema inbox;

-- A lane is a 64-bit hash of its name: two names that collide only wait for each other. Every change of the jobs of a kind that decides about order happens
-- under the advisory lock of the kind, in one short transaction.
--   attempt 0, due_at null  waits behind the head of its lane
--   due_at, token null      may be claimed from due_at on
--   due_at, token           a worker has it until due_at; afterwards it may be claimed again
--   aside                   is put off until its time, such as the end of quiet hours. Until then a first attempt is no head of its lane; then it goes back into
--                           it, in the order of its `seq`.
-- `deferred_for` says what a job waits for that was put off, and `deferred_by` which campaign or flow that is; both find it again when that is over. A claim
-- clears them. `handed_to` is the provider that a worker was about to give the job's message to, where a setting names several: it stays until the job is done,
-- or a worker says that it was not handed over, so that after a kill no other provider gets the message.
-- `last_error` is text for people, and decides nothing.
create table inbox.job (
  kind         text collate "C" not null,
  lane         bigint not null,
  seq          bigint not null,
  workspace_id uuid not null,
  payload      text not null,
  attempt      smallint not null default 0,
  due_at       timestamptz,
  token        bigint,
  aside        boolean not null default false,
  deferred_for text collate "C" check (deferred_for in (
    'retry', 'fault', 'dependency_away', 'shutdown', 'taken_over', 'outcome_unrecorded', 'answer_missing', 'provider_outage', 'own_provider_outage', 'workspace_suspended',
    'quiet_hours', 'campaign_paused', 'flow_paused', 'read_side_behind', 'address_changed', 'browsers_changed', 'no_free_slot', 'wallet_busy',
    'mailbox_capped', 'due_time', 'next_pass')),
  deferred_by  uuid check (deferred_by is null or deferred_for in ('quiet_hours', 'campaign_paused', 'flow_paused')),
  claimed_before boolean not null default false,  -- a worker had it, also where that counted as no attempt
  handed_to    text collate "C",
  last_error   text,
  admitted_at  timestamptz not null default clock_timestamp(),
  primary key (kind, lane, seq)
) with (
  fillfactor = 80,
  autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_cost_delay = 0,
  autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 100000, autovacuum_analyze_scale_factor = 0,
  autovacuum_analyze_threshold = 20000
);
comment on table inbox.job is
  'One row is a job that was admitted and is not done: done jobs are deleted, since the log remembers. `payload` is a reference, never content.';
create index job_due on inbox.job (kind, workspace_id, due_at) where due_at is not null;
-- Finds out whether a lane is at work. With `due_at`, so that only this index has the order that the look asks for and no plan made on an empty table takes
-- another. Without it the look was a walk over all that waits in the lane: 2.2 million index tuples for some hundred jobs behind 500 deep lanes.
create index job_claimed on inbox.job (kind, lane, due_at) where token is not null;
-- Finds the oldest jobs, and nothing else: a look-up of a lane or a job states nothing about `admitted_at`, so no plan that was made while the table was empty
-- takes this index for it and walks over every job of the kind. Admitting 128 jobs beside 2 600 that waited fetched 650 000 rows.
create index job_age on inbox.job (kind, admitted_at) where admitted_at > '-infinity';
create index job_retried on inbox.job (kind) where attempt > 0;
-- Counts what a workspace has between two attempts: a look at the room of its lanes asks for it.
create index job_retrying on inbox.job (kind, workspace_id, due_at) where attempt > 0;
create index job_aside on inbox.job (kind, workspace_id, deferred_for, deferred_by, seq) where aside;
-- Counts what waits for what: the metrics ask for it.
create index job_deferred on inbox.job (kind, deferred_for) where deferred_for is not null;
create sequence inbox.claim_token;

-- Most messages leave within some milliseconds, and a row of inbox.job with its indices, written and deleted for each, took a third of what Postgres did for one.
-- So what an admission claims at once for one workspace is one row here, gone when all of these jobs are done. `inbox.unbundle` makes rows of inbox.job of
-- those that are not: as soon as one is put off, renewed, given back or a dead letter, when the lease has ended, or when the process that has them finds that
-- they take longer. So what waits is a row of inbox.job. All jobs of a bundle are claimed, are first attempts, and are of different lanes, which are at work.
create table inbox.bundle (
  kind         text collate "C" not null,
  token        bigint not null,
  workspace_id uuid not null,
  lanes        bigint[] not null,
  seqs         bigint[] not null,
  payloads     text[] not null,
  due_at       timestamptz not null,  -- the lease ends
  admitted_at  timestamptz not null,
  primary key (kind, token, workspace_id)
) with (
  toast_tuple_target = 8160,
  autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0,
  autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 100000, autovacuum_analyze_scale_factor = 0,
  autovacuum_analyze_threshold = 20000
);
comment on table inbox.bundle is
  'One row is the jobs of a workspace that one admission claimed at once, until all are done or one must wait: then they are rows of inbox.job.';

-- Nothing is written to the jobs of a suspended workspace: they keep their order and what they wait for, and are claimed as soon as the row is gone. The row
-- is a lease, renewed by the workers of the kind while the suspension lasts: whatever is killed, no job waits longer than that. What a crash of Postgres
-- forgets is written again with the next job that is claimed.
create unlogged table inbox.suspended_workspace (
  kind            text collate "C" not null,
  workspace_id    uuid not null,
  suspended_until timestamptz not null,
  primary key (kind, workspace_id)
) with (fillfactor = 50);
comment on table inbox.suspended_workspace is
  'One row is a suspended workspace whose jobs of a kind no worker claims before `suspended_until`.';

-- A crash of Postgres forgets the commits of its last 0.6 s that did not wait for the disk: jobs that were claimed are free again, or are not there and are
-- admitted anew, while the worker that has them lives. This table is unlogged, hence emptied by a crash (and by the promotion of a standby), which is how
-- one is noticed.
create unlogged table inbox.claims_remembered (
  only_row boolean primary key default true check (only_row),
  since    timestamptz not null                                -- the first look after the crash
);
comment on table inbox.claims_remembered is 'The only row says since when no claim was forgotten by a crash of Postgres.';
insert into inbox.claims_remembered (since) values ('-infinity');

-- A transaction that takes the locks of several kinds takes them in the order of their names, before it locks a row of `ops.dead_letter`.
create function inbox.lock_kind(p_kind text) returns void language sql as $f$
  select pg_advisory_xact_lock(730511, hashtext(p_kind))
$f$;

-- Says whether a worker may have a job whose claim is forgotten here: for 10 s from the first look after a crash.
create function inbox.may_have_forgotten() returns boolean language plpgsql as $f$
declare
  v_since timestamptz;
begin
  select since into v_since from inbox.claims_remembered;
  if not found then
    insert into inbox.claims_remembered (since) values (clock_timestamp()) on conflict do nothing;
    return true;
  end if;
  return v_since > clock_timestamp() - interval '10 s';
end $f$;

-- Returns how many of the free slots one of so many workspaces with work takes: so many that then it has at most what is left, were the others to take the
-- same. One that has none gets one as long as any is free. So a workspace may have at most as many slots as are free: alone, half of them; of n
-- workspaces with work, each one part of n + 1. One that comes always finds some, whatever the others wait for.
create function inbox.share_of(p_free integer, p_has integer, p_workspaces integer) returns integer language sql immutable as $f$
  select greatest(case when p_has = 0 then 1 else 0 end, (p_free - p_has) / (p_workspaces + 1))
$f$;

-- Makes rows of inbox.job of the jobs of bundles, under their token and their lease.
create function inbox.unbundle(p_kind text, p_token bigint[]) returns void language plpgsql as $f$
begin
  with opened as (
    delete from inbox.bundle b where b.kind = p_kind and b.token = any (p_token)
    returning b.token, b.workspace_id, b.lanes, b.seqs, b.payloads, b.due_at, b.admitted_at
  )
  insert into inbox.job (kind, lane, seq, workspace_id, payload, due_at, token, claimed_before, admitted_at)
  select p_kind, u.lane, u.seq, o.workspace_id, u.payload, o.due_at, o.token, true, o.admitted_at
  from opened o cross join lateral unnest(o.lanes, o.seqs, o.payloads) u(lane, seq, payload)
  order by u.seq on conflict do nothing;
end $f$;

-- Makes the first waiting job of each lane claimable, where the head of the lane has gone. A job that waits aside is passed.
create function inbox.promote(p_kind text, p_lane bigint[]) returns void language plpgsql as $f$
begin
  if not exists (select from inbox.job j where j.kind = p_kind and j.lane = any (p_lane)) then return; end if;
  update inbox.job j set due_at = clock_timestamp()
  from (select distinct l.lane from unnest(p_lane) l(lane)) freed
  cross join lateral (
    select h.ctid, h.due_at from inbox.job h
    where h.kind = p_kind and h.lane = freed.lane and h.attempt = 0 and not h.aside order by h.seq limit 1
  ) head
  where head.due_at is null and j.ctid = head.ctid
    and not exists (select from inbox.bundle b where b.kind = p_kind and freed.lane = any (b.lanes));
end $f$;

-- Admits a batch. A first attempt waits while its lane has another first attempt. As many of those that need not wait are claimed at once, for `p_lease_ms`, as
-- `p_room`, the free slots, and the share of their workspace allow; none of a lane that is at work or of a suspended workspace, and none soon after a
-- crash of Postgres, since only a claim recognises a takeover. No job of these lanes is bundled. A job that is claimed by the insert is not updated, which is never HOT: due_at is
-- indexed. `p_has`, `p_counts`: the slots that workspaces have already in the process that asks; where these are null the slots are not shared.
-- `p_bundled`: what is claimed is bundled.
-- It always answers at least one row: `added` is how many were new; each claimed job is named by its number in the arrays, with its lane and its token.
create function inbox.admit(
  p_kind text, p_workspace uuid[], p_lane text[], p_seq bigint[], p_payload text[], p_room integer, p_lease_ms bigint,
  p_has uuid[], p_counts integer[], p_bundled boolean)
returns table (added integer, nth integer, lane bigint, token bigint)
language plpgsql set enable_seqscan = off set enable_bitmapscan = off set plan_cache_mode = force_generic_plan as $f$
declare
  v_now timestamptz;
  v_suspended uuid[];
  v_token bigint := nextval('inbox.claim_token');
  v_room integer;
begin
  perform inbox.lock_kind(p_kind);
  v_room := case when inbox.may_have_forgotten() then 0 else p_room end;
  v_now := clock_timestamp();
  v_suspended := array(
    select s.workspace_id from inbox.suspended_workspace s
    where s.kind = p_kind and s.workspace_id = any (p_workspace) and s.suspended_until > v_now);
  return query
  with given as (
    select hashtextextended(g.lane, 0) as lane, g.seq, g.workspace_id, g.payload, g.nth
    from unnest(p_workspace, p_lane, p_seq, p_payload) with ordinality g(workspace_id, lane, seq, payload, nth)
  ), added as materialized (
    select g.*, row_number() over (partition by g.lane order by g.seq) as lane_nth
    from given g
    left join lateral (select 1 as yes from inbox.job j where j.kind = p_kind and j.lane = g.lane and j.seq = g.seq limit 1) known on true
    where known.yes is null
  ), head as materialized (
    select a.*, a.lane_nth = 1 and ahead.yes is null as due,
      a.lane_nth = 1 and ahead.yes is null and leased.until is null and a.workspace_id <> all (v_suspended) as free
    from added a
    left join lateral (
      select 1 as yes from inbox.job j where j.kind = p_kind and j.lane = a.lane and j.attempt = 0 and not j.aside limit 1) ahead on true
    left join lateral (
      select j.due_at as until from inbox.job j where j.kind = p_kind and j.lane = a.lane and j.token is not null
      order by j.due_at desc limit 1) leased on leased.until > v_now
  ), shared as materialized (
    select w.workspace_id, case when p_has is null then v_room
      else inbox.share_of(v_room, coalesce(mine.n, 0), (count(*) over ())::integer) end as share
    from (select distinct h.workspace_id from head h where h.free) w
    left join lateral (select m.n from unnest(p_has, p_counts) m(ws, n) where m.ws = w.workspace_id limit 1) mine on true
  ), placed as materialized (
    select h.*, h.free
      and count(*) filter (where h.free) over (partition by h.workspace_id order by h.seq, h.nth) <= coalesce(s.share, 0)
      and count(*) filter (where h.free) over (order by h.seq, h.nth) <= v_room as mine
    from head h left join shared s on s.workspace_id = h.workspace_id
  ), written as (
    insert into inbox.job (kind, lane, seq, workspace_id, payload, due_at, token, claimed_before)
    select p_kind, p.lane, p.seq, p.workspace_id, p.payload,
      case when p.mine then v_now + p_lease_ms * interval '1 millisecond' when p.due then v_now end, case when p.mine then v_token end, p.mine
    from placed p where not (p.mine and p_bundled) order by p.seq
  ), bundle as (
    insert into inbox.bundle (kind, token, workspace_id, lanes, seqs, payloads, due_at, admitted_at)
    select p_kind, v_token, p.workspace_id, array_agg(p.lane order by p.seq, p.nth), array_agg(p.seq order by p.seq, p.nth),
      array_agg(p.payload order by p.seq, p.nth), v_now + p_lease_ms * interval '1 millisecond', v_now
    from placed p where p.mine and p_bundled group by p.workspace_id
  )
  select n.added, p.nth::integer, p.lane, v_token
  from (select count(*)::integer as added from placed) n left join placed p on p.mine
  order by p.seq, p.nth;
end $f$;

-- Admits a batch of which every job is claimed and nothing waits, as `inbox.admit` would with `p_bundled`, at a quarter of its cost; answers the lanes. Null, where
-- a lane has a job or comes twice, a workspace is suspended, or there is no room for all: then nothing is done.
create function inbox.admit_bundled(
  p_kind text, p_workspace uuid[], p_lane text[], p_seq bigint[], p_payload text[], p_room integer, p_lease_ms bigint,
  p_has uuid[], p_counts integer[], p_token bigint)
returns bigint[] language plpgsql set enable_seqscan = off set enable_bitmapscan = off set plan_cache_mode = force_generic_plan as $f$
declare
  v_lanes bigint[];
  v_now timestamptz;
begin
  if cardinality(p_lane) > p_room then return null; end if;
  perform inbox.lock_kind(p_kind);
  v_now := clock_timestamp();
  v_lanes := array(select hashtextextended(l.name, 0) from unnest(p_lane) l(name));
  if exists (select from inbox.job j where j.kind = p_kind and j.lane = any (v_lanes))
    or exists (select from inbox.bundle b where b.kind = p_kind and b.lanes && v_lanes)
    or exists (select from unnest(v_lanes) l(lane) group by l.lane having count(*) > 1)
    or exists (
      select from inbox.suspended_workspace s
      where s.kind = p_kind and s.workspace_id = any (p_workspace) and s.suspended_until > v_now)
    or p_has is not null and exists (
      select from (select g.ws, count(*) as jobs, count(*) over () as workspaces from unnest(p_workspace) g(ws) group by g.ws) w
      left join unnest(p_has, p_counts) mine(ws, n) on mine.ws = w.ws
      where w.jobs > inbox.share_of(p_room, coalesce(mine.n, 0), w.workspaces::integer))
    or inbox.may_have_forgotten()
  then return null; end if;
  insert into inbox.bundle (kind, token, workspace_id, lanes, seqs, payloads, due_at, admitted_at)
  select p_kind, p_token, g.ws, array_agg(g.lane), array_agg(g.seq), array_agg(g.payload), v_now + p_lease_ms * interval '1 millisecond', v_now
  from unnest(p_workspace, v_lanes, p_seq, p_payload) g(ws, lane, seq, payload) group by g.ws;
  return v_lanes;
end $f$;

-- `inbox.admit` as one value, so that a statement that moves a checkpoint can carry it. `nth` and `lanes`: the claimed jobs, by their numbers in the arrays, in
-- their order, all under one token; `nth` null: all of the arrays. `unbundled`: bundles that are rows now, because something waits behind one of their jobs.
create function inbox.admit_as_value(
  p_kind text, p_workspace uuid[], p_lane text[], p_seq bigint[], p_payload text[], p_room integer, p_lease_ms bigint,
  p_has uuid[], p_counts integer[], p_bundled boolean)
returns json language plpgsql as $f$
declare
  v_token bigint;
  v_lanes bigint[];
  v_unbundled bigint[];
begin
  if p_bundled and p_room > 0 then
    v_token := nextval('inbox.claim_token');
    v_lanes := inbox.admit_bundled(p_kind, p_workspace, p_lane, p_seq, p_payload, p_room, p_lease_ms, p_has, p_counts, v_token);
    if v_lanes is not null then
      return json_build_object('added', cardinality(v_lanes), 'token', v_token::text, 'nth', null, 'lanes', v_lanes::text[], 'unbundled', '{}'::text[]);
    end if;
  end if;
  perform inbox.lock_kind(p_kind);
  v_lanes := array(select hashtextextended(l.name, 0) from unnest(p_lane) l(name));
  v_unbundled := array(select distinct b.token from inbox.bundle b where b.kind = p_kind and b.lanes && v_lanes);
  if cardinality(v_unbundled) > 0 then
    perform inbox.unbundle(p_kind, v_unbundled);
  end if;
  return (
    select json_build_object('unbundled', v_unbundled::text[], 'added', max(a.added), 'token', max(a.token)::text,
      'nth', coalesce(json_agg(a.nth order by a.line) filter (where a.nth is not null), '[]'),
      'lanes', coalesce(json_agg(a.lane::text order by a.line) filter (where a.nth is not null), '[]'))
    from inbox.admit(p_kind, p_workspace, p_lane, p_seq, p_payload, p_room, p_lease_ms, p_has, p_counts, p_bundled)
      with ordinality a(added, nth, lane, token, line));
end $f$;

-- Takes what a worker is through with. Only the token that claimed a job can settle it; anything else is left alone. `p_back_delay` null: done. Otherwise the job
-- is due again after so many milliseconds, with `p_back_counts` as a further attempt, with `p_aside` aside, and waits for `p_deferred_for`, of the campaign or
-- flow `p_deferred_by`. Jobs of a lane that wait aside for the same are due in their order. `p_ended`: tokens of
-- bundles of which every job is done; `p_unbundle`: of those that become rows first.
create function inbox.settle(
  p_kind text, p_lane bigint[], p_seq bigint[], p_token bigint[], p_back_delay bigint[], p_back_counts boolean[], p_aside boolean[],
  p_deferred_for text[], p_deferred_by uuid[], p_error text[], p_ended bigint[], p_unbundle bigint[], p_not_handed boolean[])
returns void language plpgsql as $f$
declare
  v_tokens integer := 0;
  v_ended bigint[];
  v_freed bigint[];
  v_back bigint[];
begin
  perform inbox.lock_kind(p_kind);
  if cardinality(p_ended) > 0 then
    with gone as (delete from inbox.bundle b where b.kind = p_kind and b.token = any (p_ended) returning b.token, b.lanes)
    select count(distinct g.token), array_agg(l.lane) into v_tokens, v_ended from gone g cross join lateral unnest(g.lanes) l(lane);
    if v_tokens < cardinality(p_ended) then  -- a renewal made rows of one meanwhile
      with gone as (delete from inbox.job j where j.kind = p_kind and j.token = any (p_ended) returning j.lane)
      select v_ended || array_agg(lane) into v_ended from gone;
    end if;
  end if;
  if cardinality(p_unbundle) > 0 then
    perform inbox.unbundle(p_kind, p_unbundle);
  end if;
  if cardinality(p_lane) > 0 then
    with gone as (
      delete from inbox.job j using unnest(p_lane, p_seq, p_token, p_back_delay) d(lane, seq, token, delay)
      cross join lateral (
        select h.ctid from inbox.job h where h.kind = p_kind and h.lane = d.lane and h.seq = d.seq and h.token = d.token limit 1) mine
      where d.delay is null and j.ctid = mine.ctid and j.token = d.token returning j.lane
    ) select array_agg(lane) into v_freed from gone;
  end if;
  if cardinality(array_remove(p_back_delay, null)) > 0 then
    with back as (
      update inbox.job j set token = null, attempt = j.attempt + d.counts::int, last_error = left(d.error, 500),
        aside = d.aside, deferred_for = d.deferred_for, deferred_by = d.deferred_by, handed_to = case when d.not_handed is not true then j.handed_to end,
        due_at = greatest(clock_timestamp() + d.delay * interval '1 millisecond', before.due_at)
      from unnest(p_lane, p_seq, p_token, p_back_delay, p_back_counts, p_aside, p_deferred_for, p_deferred_by, p_error, p_not_handed)
        d(lane, seq, token, delay, counts, aside, deferred_for, deferred_by, error, not_handed)
      cross join lateral (select h.ctid from inbox.job h where h.kind = p_kind and h.lane = d.lane and h.seq = d.seq and h.token = d.token limit 1) mine
      left join lateral (
        select b.due_at from inbox.job b
        where d.aside and b.kind = p_kind and b.lane = d.lane and b.seq < d.seq and b.aside and b.token is null
          and b.deferred_for = d.deferred_for and b.deferred_by is not distinct from d.deferred_by
        order by b.seq desc limit 1) before on true
      where d.delay is not null and j.ctid = mine.ctid and j.token = d.token returning j.lane
    ) select array_agg(lane) into v_back from back;
  end if;
  perform inbox.promote(p_kind, coalesce(v_ended, '{}') || coalesce(v_freed, '{}') || coalesce(v_back, '{}'));
end $f$;

-- Hands out due jobs, no two of one lane and none of a lane that is at work, shared by workspace. It visits at most `p_limit` workspaces, from the one after
-- `p_after` on, and passes over a suspended one with one look, however many of its jobs are due. `p_limit`: the slots that are free. `p_has`, `p_counts`: the
-- slots that workspaces have already in the process that asks; where these are null the slots are not shared.
-- It always answers at least one row: `next_after` is where the next visit starts (null: from the beginning); `seq` is null where there was nothing. `more`:
-- something due is left to a later claim. `taken_over`: the lease of another worker expired, which may be about to record what it did, and the worker that
-- takes the job over gives it the time to; so it is for all that is claimed soon after a crash of Postgres. A job that was given back, or freed by
-- `releaseClaims`, had no worker. `claimed_before`: a worker had it, and may have recorded something, also where that counted as no attempt.
create function inbox.claim(p_kind text, p_limit integer, p_lease_ms bigint, p_after uuid, p_has uuid[], p_counts integer[])
returns table (lane bigint, seq bigint, token bigint, workspace_id uuid, attempt smallint, payload text, next_after uuid, taken_over boolean,
  claimed_before boolean, more boolean, handed_to text)
language plpgsql as $f$
declare
  v_now timestamptz;
  v_token bigint := nextval('inbox.claim_token');
  v_forgotten boolean;
  v_expired bigint[];
begin
  perform inbox.lock_kind(p_kind);
  v_forgotten := inbox.may_have_forgotten();
  v_now := clock_timestamp();
  v_expired := array(select b.token from inbox.bundle b where b.kind = p_kind and b.due_at <= v_now);
  if cardinality(v_expired) > 0 then
    perform inbox.unbundle(p_kind, v_expired);
  end if;
  if not exists (select from (select from inbox.job j where j.kind = p_kind and j.due_at is not null order by j.workspace_id, j.due_at limit 1) one) then
    return query select null::bigint, null::bigint, v_token, null::uuid, null::smallint, null::text, null::uuid, false, false, false, null::text;
    return;
  end if;
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
  eligible as materialized (
    select v.ws, case when p_has is null then greatest(1, p_limit / count(*) over ())::integer
      else inbox.share_of(p_limit, coalesce(mine.n, 0), (count(*) over ())::integer) end as share
    from visited v left join lateral (
      select 1 as yes from inbox.suspended_workspace s
      where s.kind = p_kind and s.workspace_id = v.ws and s.suspended_until > v_now limit 1) suspended on true
    left join lateral (select m.n from unnest(p_has, p_counts) m(ws, n) where m.ws = v.ws limit 1) mine on true
    where v.first_due <= v_now and suspended.yes is null
  ),
  candidate as materialized (
    select c.*, e.share, row_number() over (partition by e.ws order by c.due_at) as nth from eligible e cross join lateral (
      select j.ctid as at, j.lane, j.seq, j.due_at, j.aside, j.token is not null or v_forgotten as had_claim,
        j.claimed_before
      from inbox.job j
      where j.kind = p_kind and j.workspace_id = e.ws and j.due_at <= v_now order by j.due_at limit e.share + 1) c
  ), bundled as materialized (
    select u.lane from inbox.bundle b cross join lateral unnest(b.lanes) u(lane) where b.kind = p_kind
  ), sorted as materialized (
    select c.at, c.aside, c.had_claim, c.claimed_before,
      leased.until is null and c.lane not in (select b.lane from bundled b) and row_number() over (partition by c.lane order by c.due_at, c.seq) = 1 as free
    from candidate c left join lateral (
      select r.due_at as until from inbox.job r where r.kind = p_kind and r.lane = c.lane and r.token is not null
      order by r.due_at desc limit 1) leased on leased.until > v_now
    where c.nth <= c.share
  ), blocked as (
    -- A retry whose lane is busy comes back in a second, so that a crowd of them cannot hide the jobs behind; a first attempt that waited aside goes
    -- back into its lane.
    update inbox.job j set due_at = case when not (s.aside and j.attempt = 0) then v_now + interval '1 second' end, aside = false,
      deferred_for = null, deferred_by = null
    from sorted s where not s.free and j.ctid = s.at
  ), claimed as (
    update inbox.job j set token = v_token, due_at = v_now + p_lease_ms * interval '1 millisecond', aside = false, deferred_for = null,
      deferred_by = null, claimed_before = true
    from sorted s
    where s.free and j.ctid = s.at and coalesce(j.due_at, 'infinity') <= v_now
    returning j.lane, j.seq, j.workspace_id, j.attempt, j.payload, s.had_claim, s.claimed_before, j.handed_to
  )
  select c.lane, c.seq, v_token, c.workspace_id, c.attempt, c.payload, u.ws, c.had_claim, c.had_claim or c.claimed_before,
    exists (select from candidate d where d.nth > d.share), c.handed_to
  from cursor u left join claimed c on true
  order by row_number() over (partition by c.workspace_id order by c.seq), c.workspace_id;
end $f$;

-- Settles what a worker is through with and claims what is due, in one round trip.
create function inbox.settle_and_claim(
  p_kind text, p_lane bigint[], p_seq bigint[], p_token bigint[], p_back_delay bigint[], p_back_counts boolean[], p_aside boolean[],
  p_deferred_for text[], p_deferred_by uuid[], p_error text[], p_ended bigint[], p_unbundle bigint[],
  p_limit integer, p_lease_ms bigint, p_after uuid, p_has uuid[], p_counts integer[],
  p_not_handed boolean[] default '{}')
returns table (lane bigint, seq bigint, token bigint, workspace_id uuid, attempt smallint, payload text, next_after uuid, taken_over boolean,
  claimed_before boolean, more boolean, handed_to text)
language plpgsql set enable_seqscan = off set enable_bitmapscan = off set plan_cache_mode = force_generic_plan as $f$
begin
  perform set_config('synchronous_commit', 'off', true);
  if cardinality(p_lane) > 0 or cardinality(p_ended) > 0 or cardinality(p_unbundle) > 0 then
    perform inbox.settle(
      p_kind, p_lane, p_seq, p_token, p_back_delay, p_back_counts, p_aside, p_deferred_for, p_deferred_by, p_error, p_ended, p_unbundle,
      p_not_handed);
  end if;
  if p_limit > 0 then
    return query select * from inbox.claim(p_kind, p_limit, p_lease_ms, p_after, p_has, p_counts);
  end if;
end $f$;

-- Renews the lease of a claimed job; answers false when the token is not that of the job.
create function inbox.renew(p_kind text, p_lane bigint, p_seq bigint, p_token bigint, p_lease_ms bigint) returns boolean language plpgsql as $f$
begin
  if exists (select from inbox.bundle b where b.kind = p_kind and b.token = p_token) then
    perform inbox.lock_kind(p_kind);
    perform inbox.unbundle(p_kind, array[p_token]);
  end if;
  update inbox.job j set due_at = clock_timestamp() + p_lease_ms * interval '1 millisecond'
  where j.kind = p_kind and j.lane = p_lane and j.seq = p_seq and j.token = p_token;
  return found;
end $f$;

-- Frees every job that is claimed; answers how many.
create function inbox.release_claims() returns integer language plpgsql as $f$
declare
  v_released integer;
begin
  perform inbox.unbundle(b.kind, array_agg(b.token)) from inbox.bundle b group by b.kind;
  update inbox.job set token = null, due_at = clock_timestamp() where token is not null;
  get diagnostics v_released = row_count;
  return v_released;
end $f$;

-- Puts down to whom jobs are about to be handed over, each under its token; answers those that are the caller's. Not with `synchronous_commit` off: what may have
-- left must not be forgotten. Rows are locked in one order.
create function inbox.mark_targets(p_kind text[], p_lane bigint[], p_seq bigint[], p_token bigint[], p_target text[])
returns table (kind text, lane bigint, seq bigint)
language plpgsql set enable_seqscan = off set enable_bitmapscan = off set plan_cache_mode = force_generic_plan as $f$
declare
  v_one record;
begin
  for v_one in
    select b.kind, array_agg(distinct b.token) as tokens from inbox.bundle b
    where b.kind = any (p_kind) and b.token = any (p_token) group by b.kind order by b.kind
  loop
    perform inbox.lock_kind(v_one.kind);
    perform inbox.unbundle(v_one.kind, v_one.tokens);
  end loop;
  for v_one in
    select h.* from unnest(p_kind, p_lane, p_seq, p_token, p_target) h(kind, lane, seq, token, target) order by h.kind, h.lane, h.seq
  loop
    update inbox.job j set handed_to = v_one.target
    where j.kind = v_one.kind and j.lane = v_one.lane and j.seq = v_one.seq and j.token = v_one.token;
    if found then
      kind := v_one.kind;
      lane := v_one.lane;
      seq := v_one.seq;
      return next;
    end if;
  end loop;
end $f$;

-- Makes a claimed job a dead letter for a person to look at; its lane goes on. Answers the id of the dead letter, or null when the token is not that of the job.
create function inbox.move_to_dead_letter(p_kind text, p_lane bigint, p_seq bigint, p_token bigint, p_class text, p_error text)
returns uuid language plpgsql as $f$
declare
  v_job inbox.job;
  v_id uuid;
begin
  perform inbox.lock_kind(p_kind);
  perform inbox.unbundle(p_kind, array[p_token]);
  delete from inbox.job j where j.kind = p_kind and j.lane = p_lane and j.seq = p_seq and j.token = p_token returning j.* into v_job;
  if not found then return null; end if;
  insert into ops.dead_letter as d (source, consumer, workspace_id, reference, lane, seq, payload, handed_to, error_class, error, attempts)
  values ('job', p_kind, v_job.workspace_id, v_job.lane || '/' || v_job.seq, v_job.lane, v_job.seq, v_job.payload, v_job.handed_to, p_class,
    left(p_error, 2000), v_job.attempt + 1)
  on conflict (consumer, reference) do update
    set attempts = d.attempts + excluded.attempts, error_class = excluded.error_class, error = excluded.error, state = 'open', note = null, last_seen_at = now(),
      handed_to = excluded.handed_to
  returning d.id into v_id;
  perform inbox.promote(p_kind, array[p_lane]);
  return v_id;
end $f$;

-- Puts a dead letter back into its lane as a first attempt, with the reason why it was set aside. Answers false when there is no such open dead letter. A bundle
-- that has its lane, or has the job itself because it was admitted again, becomes rows first.
create function inbox.requeue_dead_letter(p_id uuid) returns boolean language plpgsql as $f$
declare
  v_dead ops.dead_letter;
begin
  select d.* into v_dead from ops.dead_letter d where d.id = p_id and d.source = 'job';
  if not found then return false; end if;
  perform inbox.lock_kind(v_dead.consumer);
  select d.* into v_dead from ops.dead_letter d where d.id = p_id and d.state = 'open' for update;
  if not found then return false; end if;
  perform inbox.unbundle(v_dead.consumer, array(
    select distinct b.token from inbox.bundle b where b.kind = v_dead.consumer and v_dead.lane = any (b.lanes)));
  insert into inbox.job (kind, lane, seq, workspace_id, payload, claimed_before, handed_to, last_error)
  values (v_dead.consumer, v_dead.lane, v_dead.seq, v_dead.workspace_id, v_dead.payload, true, v_dead.handed_to, left(v_dead.error, 500)) on conflict do nothing;
  if not exists (
    select from inbox.job j
    where j.kind = v_dead.consumer and j.lane = v_dead.lane and j.attempt = 0 and not j.aside and j.due_at is not null) then
    perform inbox.promote(v_dead.consumer, array[v_dead.lane]);
  end if;
  update ops.dead_letter set state = 'redriven', last_seen_at = now() where id = p_id;
  return true;
end $f$;

-- Puts jobs back into their lanes that wait aside for what is over, at most `p_limit`; answers how many. `p_deferred_by`: of this campaign or flow alone,
-- those that were admitted first; null: whatever it is. Lanes that are named in `p_lanes` are looked up themselves, however many others wait for the same;
-- null: all lanes.
create function inbox.wake_aside(p_kind text, p_workspace uuid, p_deferred_for text, p_deferred_by uuid, p_lanes text[], p_limit integer) returns integer
language plpgsql set enable_seqscan = off set enable_bitmapscan = off set plan_cache_mode = force_generic_plan as $f$
declare
  v_at tid[];
  v_woken bigint[];
  v_now timestamptz := clock_timestamp();
begin
  perform inbox.lock_kind(p_kind);
  if p_lanes is not null then
    v_at := array(
      select j.ctid from unnest(p_lanes) l(name) cross join lateral (
        select i.ctid, i.seq from inbox.job i
        where i.kind = p_kind and i.lane = hashtextextended(l.name, 0) and i.aside and i.workspace_id = p_workspace
          and i.deferred_for = p_deferred_for and (p_deferred_by is null or i.deferred_by = p_deferred_by) and i.token is null
        order by i.kind, i.lane, i.seq limit p_limit) j
      order by j.seq limit p_limit);
  elsif p_deferred_by is not null then
    v_at := array(
      select j.ctid from inbox.job j
      where j.aside and j.kind = p_kind and j.workspace_id = p_workspace and j.deferred_for = p_deferred_for and j.deferred_by = p_deferred_by
        and j.token is null
      order by j.seq limit p_limit);
  else
    v_at := array(
      select j.ctid from inbox.job j
      where j.aside and j.kind = p_kind and j.workspace_id = p_workspace and j.deferred_for = p_deferred_for and j.token is null
      order by j.deferred_by, j.seq limit p_limit);
  end if;
  with woken as (
    update inbox.job j set due_at = case when j.attempt > 0 then v_now end, aside = false, deferred_for = null, deferred_by = null
    where j.ctid = any (v_at) returning j.lane
  ) select array_agg(w.lane) into v_woken from woken w;
  perform inbox.promote(p_kind, v_woken);
  return coalesce(cardinality(v_woken), 0);
end $f$;

-- Answers when the first job of each kind is due that no suspension keeps back, in milliseconds: 0 where one is due, no row where none waits. It probes job_due
-- once for each workspace of a kind that has jobs, and ends at the first that is due.
create function inbox.first_due(p_kinds text[]) returns table (kind text, due_in_ms double precision)
language plpgsql stable set enable_seqscan = off set enable_bitmapscan = off set plan_cache_mode = force_generic_plan as $f$
declare
  v_now timestamptz := clock_timestamp();
begin
  return query
  select k.name, greatest(first.ms, 0)
  from unnest(p_kinds) k(name) cross join lateral (
    with recursive visit(ws, first_due) as (
      (select j.workspace_id, j.due_at from inbox.job j
       where j.kind = k.name and j.due_at is not null order by j.workspace_id, j.due_at limit 1)
      union all
      select n.* from visit v cross join lateral (
        select j.workspace_id, j.due_at from inbox.job j
        where j.kind = k.name and j.due_at is not null and j.workspace_id > v.ws order by j.workspace_id, j.due_at limit 1) n
    ), free as (
      select v.first_due from visit v left join lateral (
        select 1 as yes from inbox.suspended_workspace s
        where s.kind = k.name and s.workspace_id = v.ws and s.suspended_until > v_now limit 1) suspended on true
      where suspended.yes is null
    )
    select least(
      coalesce(
        (select 0 from free f where f.first_due <= v_now limit 1),
        (select extract(epoch from min(f.first_due) - v_now) * 1000 from free f)),
      (select extract(epoch from min(b.due_at) - v_now) * 1000 from inbox.bundle b where b.kind = k.name))::double precision as ms) first
  where first.ms is not null;
end $f$;

-- Answers what waits, per kind that has any: at most `p_limit` jobs of each are counted, so that it costs the same whatever waits.
create function inbox.depth(p_limit integer)
returns table (kind text, waiting integer, retrying integer, oldest timestamptz)
language plpgsql stable set enable_seqscan = off set enable_bitmapscan = off set plan_cache_mode = force_generic_plan as $f$
begin
  return query
  with recursive kinds(name) as (
    (select j.kind from inbox.job j order by j.kind limit 1)
    union all
    select n.kind from kinds k cross join lateral (select j.kind from inbox.job j where j.kind > k.name order by j.kind limit 1) n
  ), bundled as (
    select b.kind as name, sum(cardinality(b.seqs))::integer as jobs, min(b.admitted_at) as oldest from inbox.bundle b group by b.kind
  )
  select k.name,
    coalesce(b.jobs, 0) + (select count(*)::integer from (
      select from inbox.job j where j.kind = k.name and j.admitted_at > '-infinity' order by j.admitted_at limit p_limit) c),
    (select count(*)::integer from (select from inbox.job j where j.kind = k.name and j.attempt > 0 limit p_limit) c),
    least(b.oldest,
      (select j.admitted_at from inbox.job j where j.kind = k.name and j.admitted_at > '-infinity' order by j.admitted_at limit 1))
  from (select kinds.name from kinds union select bundled.name from bundled) k left join bundled b on b.name = k.name order by k.name;
end $f$;

-- Answers for what jobs wait that were put off, per kind: at most `p_limit` of each reason are counted, so that it costs the same whatever waits.
create function inbox.deferred(p_limit integer)
returns table (kind text, deferred_for text, jobs integer)
language plpgsql stable set enable_seqscan = off set enable_bitmapscan = off set plan_cache_mode = force_generic_plan as $f$
begin
  return query
  with recursive reasons(kind, reason) as (
    (select j.kind, j.deferred_for from inbox.job j where j.deferred_for is not null order by j.kind, j.deferred_for limit 1)
    union all
    select n.* from reasons r cross join lateral (
      select j.kind, j.deferred_for from inbox.job j
      where j.deferred_for is not null and (j.kind, j.deferred_for) > (r.kind, r.reason) order by j.kind, j.deferred_for limit 1) n
  )
  select r.kind, r.reason,
    (select count(*)::integer from (select from inbox.job j where j.kind = r.kind and j.deferred_for = r.reason limit p_limit) c)
  from reasons r order by r.kind, r.reason;
end $f$;
