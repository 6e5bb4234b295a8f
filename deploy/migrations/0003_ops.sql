-- State that processes share besides the log and the queues: leases, checkpoints, caches of answers, counts, and the state of campaigns and flows.

create schema ops;

create function ops.now_ms() returns bigint language sql volatile as $f$
  select (extract(epoch from clock_timestamp()) * 1000)::bigint
$f$;

-- Says whether a window of that length is open. One that ends later than one that opens now was written while the clock was ahead, and counts as over
-- (docs/reference/rules.md, M55).
create function ops.is_open(p_ends timestamptz, p_length interval, p_now timestamptz) returns boolean language sql stable as $f$
  select coalesce(p_ends > p_now and p_ends <= p_now + p_length, false)
$f$;

-- Processes and tasks ---------------------------------------------------------------------------------------------------------------------------

create table ops.process (
  id               uuid primary key,
  role             text        not null,
  started_at       timestamptz not null,
  heartbeat_at     timestamptz not null,
  position_commit  bigint      not null,
  position_prepare bigint      not null
) with (fillfactor = 50);
comment on table ops.process is
  'One row is a running process that uses caches, with the position up to which they follow the log: a stop is answered when all have passed it.';

create table ops.task_lease (
  task       text primary key,
  owner      text,
  epoch      bigint not null default 0,
  expires_at timestamptz
);
comment on table ops.task_lease is
  'One row is a periodic task that one process at a time is enough for, with the process that does it. The task must be right in two at once, too.';

-- A log outside of the database is recognised by this mark at the next start, also where another, longer one is in its place. The mark may fall back: an
-- older event says the same. A log in the database needs no mark, since the two cannot part.
create table ops.log_mark (
  single           boolean primary key default true check (single),
  position_commit  bigint      not null,
  position_prepare bigint      not null,
  event_id         uuid        not null,
  updated_at       timestamptz not null default now()
) with (fillfactor = 50);
comment on table ops.log_mark is 'The only row is the last event seen of a log that lies outside of the database.';

-- One import goes on under its `run_id` when it is called again with the same file: the process that takes over writes
-- the same events under the same ids.
create table ops.people_import (
  workspace_id uuid        not null,
  digest       text        not null,
  run_id       uuid        not null,
  counts       jsonb       not null,
  started_at   timestamptz not null default clock_timestamp(),
  touched_at   timestamptz not null default clock_timestamp(),
  primary key (workspace_id, digest)
) with (fillfactor = 50);
comment on table ops.people_import is
  'One row is an import of a file of people that is under way, or whose process ended before its end, with what became of its lines so far.';

-- Projections (packages/projections) --------------------------------------------------------------------------------------------------------------

create table ops.projection_checkpoint (
  projection       text collate "C" primary key,
  version          int         not null,
  epoch            bigint      not null,  -- that of the lease whose owner may move it: the compare-and-set of a former owner fails
  position_commit  bigint      not null,
  position_prepare bigint      not null,
  updated_at       timestamptz not null default now()
) with (fillfactor = 50);
comment on table ops.projection_checkpoint is 'One row is how far the tables of a projection are.';

create table ops.projection_lease (
  projection text collate "C" primary key,
  owner      text        not null,
  epoch      bigint      not null,
  expires_at timestamptz not null
) with (fillfactor = 50);
comment on table ops.projection_lease is 'One row is a projection, with the process that may write its tables.';

create table ops.projection_status (
  projection   text collate "C" primary key,
  owner        text        not null,
  state        text        not null,
  lag_events   bigint,              -- null where positions are not dense
  lag_seconds  double precision,
  rate         double precision,
  eta_seconds  double precision,
  failure      jsonb,
  heartbeat_at timestamptz not null
) with (fillfactor = 50);
comment on table ops.projection_status is 'One row is what the owner of a projection says about itself, once a second.';

create table ops.parked_stream (
  projection          text collate "C" not null,
  stream              text collate "C" not null,
  revision            int         not null,  -- the projection skips the stream from here on, until it is redriven
  position_commit     bigint      not null,
  position_prepare    bigint      not null,
  event_id            uuid        not null,
  event_type          text        not null,
  workspace_id        uuid        not null,
  error               text        not null,
  parked_at           timestamptz not null default now(),
  redrive_requested_at timestamptz,
  primary key (projection, stream)
);
comment on table ops.parked_stream is 'One row is a stream that a projection could not apply.';

-- Positions are as in projection_checkpoint: these tables are not followed, they are brought up to date when they are needed.
create table ops.projection_build (
  projection       text collate "C" not null,
  generation       text        not null check (generation in ('next', 'previous')),
  version          int         not null,
  position_commit  bigint      not null,
  position_prepare bigint      not null,
  tables           text[]      not null,
  parked           jsonb       not null,  -- rows of parked_stream, for the streams that these tables could not apply
  built_at         timestamptz not null default now(),
  expires_at       timestamptz,           -- until then `swap --back` can bring back what a swap took out
  primary key (projection, generation)
);
comment on table ops.projection_build is
  'One row is a set of tables beside the live ones of a projection: `next`, built to be compared and swapped in, or `previous`, taken out by a swap.';

-- A login cannot take itself off this list, whatever becomes of its schema (ADR 36).
create table ops.analyst_role (
  role   name primary key,
  schema name not null
);
comment on table ops.analyst_role is
  'One row is a login that `projection run` made for a schema that it fills: the service ends its sessions where they hold up others.';

-- Consumers and the relay (packages/bus) ----------------------------------------------------------------------------------------------------------
--
-- The log is the truth. All of this may fall back to an earlier moment of itself, and the outcome is the same: a checkpoint that falls back is read again
-- from the log, the relay publishes a suffix again, and a consumer that finds a hole behind its position reads it from the log. So these transactions
-- commit without waiting for the disk (synchronous_commit off): the WAL is one sequence, hence what a crash takes is a suffix of it.

-- `epoch` grows with every owner; an owner with an old epoch writes nothing. `relay` is the one whose topic the group reads; null: it reads the log. While
-- it reads a topic, `position_*` stays where the group left the log, and consumer_partition has where it is.
create table ops.consumer_checkpoint (
  consumer_group   text collate "C" primary key,
  position_commit  bigint not null,
  position_prepare bigint not null,
  owner            uuid,
  epoch            bigint not null default 0,
  lease_until      timestamptz,
  relay            uuid,
  updated_at       timestamptz not null default now()
);
comment on table ops.consumer_checkpoint is 'One row is how far a consumer group is.';

-- Every event of the partition up to and including the position is handled. `epoch` is that of consumer_checkpoint: a process that takes the group over
-- from Kafka writes a new one here first.
create table ops.consumer_partition (
  consumer_group   text collate "C" not null,
  partition        integer not null,
  epoch            bigint not null,
  position_commit  bigint not null,
  position_prepare bigint not null,
  updated_at       timestamptz not null default now(),
  primary key (consumer_group, partition)
) with (fillfactor = 50);
comment on table ops.consumer_partition is 'One row is how far a consumer group is in a partition, while it reads Kafka.';

-- Records carry the id of the relay: those of another installation, or of the time before a backup was restored, are recognised by it.
create table ops.relay (
  topic            text collate "C" primary key,
  id               uuid not null default gen_random_uuid(),
  partitions       integer not null,
  types            text[] not null,  -- what is published
  position_commit  bigint not null,
  position_prepare bigint not null,
  owner            uuid,
  epoch            bigint not null default 0,
  lease_until      timestamptz,
  updated_at       timestamptz not null default now()
) with (fillfactor = 50);
comment on table ops.relay is 'One row is how far the log has been published to a topic, and by which process.';

create table ops.relay_partition (
  topic            text collate "C" not null references ops.relay on delete cascade,
  partition        integer not null,
  position_commit  bigint not null,
  position_prepare bigint not null,
  primary key (topic, partition)
) with (fillfactor = 50);
comment on table ops.relay_partition is 'One row is the last position published to a partition, which the next record of the partition carries.';

-- `after_*` is the position before the event, from where it can be read again. A `record` of Kafka is no event of ours: its reference names topic,
-- partition and offset, and there is nothing to do again.
create table ops.dead_letter (
  id            uuid primary key default gen_random_uuid(),
  source        text collate "C" not null check (source in ('event', 'job', 'record')),
  consumer      text collate "C" not null,
  workspace_id  uuid,
  reference     text not null,
  after_commit  bigint,
  after_prepare bigint,
  lane          bigint,
  seq           bigint,
  payload       text,
  handed_to     text collate "C",  -- as in inbox.job
  error_class   text not null,
  error         text not null,
  attempts      integer not null default 1,
  state         text collate "C" not null default 'open' check (state in ('open', 'redriving', 'redriven', 'discarded')),
  note          text,
  first_seen_at timestamptz not null default now(),
  last_seen_at  timestamptz not null default now()
);
comment on table ops.dead_letter is
  'One row is an event, a job or a record that was set aside so that the rest could go on. It holds references, never content.';
create unique index dead_letter_reference on ops.dead_letter (consumer, reference);
create index dead_letter_newest on ops.dead_letter (last_seen_at desc, id) where state in ('open', 'redriving');

-- Moves the checkpoint of a group inside the transaction of the effect, if its position and its owner are those that the caller believes.
create function ops.advance_consumer(p_group text, p_epoch bigint, p_from bigint[], p_to bigint[], p_lease_ms bigint)
returns boolean language plpgsql as $f$
begin
  perform set_config('synchronous_commit', 'off', true);
  update ops.consumer_checkpoint set position_commit = p_to[1], position_prepare = p_to[2], updated_at = now(),
    lease_until = clock_timestamp() + p_lease_ms * interval '1 millisecond'
  where consumer_group = p_group and epoch = p_epoch and position_commit = p_from[1] and position_prepare = p_from[2];
  return found;
end $f$;

-- Moves a group in some partitions, inside the transaction of the effect, if it is in each of them where the caller believes.
create function ops.advance_partitions(
  p_group text, p_epoch bigint, p_partition integer[],
  p_from_commit bigint[], p_from_prepare bigint[], p_to_commit bigint[], p_to_prepare bigint[])
returns boolean language plpgsql as $f$
declare
  v_moved integer;
begin
  perform set_config('synchronous_commit', 'off', true);
  update ops.consumer_partition c set position_commit = m.to_commit, position_prepare = m.to_prepare, updated_at = now()
  from unnest(p_partition, p_from_commit, p_from_prepare, p_to_commit, p_to_prepare) m(partition, from_commit, from_prepare, to_commit, to_prepare)
  where c.consumer_group = p_group and c.epoch = p_epoch and c.partition = m.partition
    and c.position_commit = m.from_commit and c.position_prepare = m.from_prepare;
  get diagnostics v_moved = row_count;
  return v_moved = cardinality(p_partition);
end $f$;

-- Moves the relay, and the last positions of the partitions that it has just published to, if its position and its owner are those that the caller believes.
create function ops.advance_relay(
  p_topic text, p_epoch bigint, p_from bigint[], p_to bigint[], p_partition integer[], p_commit bigint[], p_prepare bigint[], p_lease_ms bigint)
returns boolean language plpgsql as $f$
begin
  perform set_config('synchronous_commit', 'off', true);
  update ops.relay set position_commit = p_to[1], position_prepare = p_to[2], updated_at = now(),
    lease_until = clock_timestamp() + p_lease_ms * interval '1 millisecond'
  where topic = p_topic and epoch = p_epoch and position_commit = p_from[1] and position_prepare = p_from[2];
  if not found then return false; end if;
  update ops.relay_partition r set position_commit = m.commit, position_prepare = m.prepare
  from unnest(p_partition, p_commit, p_prepare) m(partition, commit, prepare)
  where r.topic = p_topic and r.partition = m.partition;
  return true;
end $f$;

-- HTTP (packages/http) ------------------------------------------------------------------------------------------------------------------------------

-- While `status` is null the request runs, or ran in a process that is gone once `lease_until` has passed: a retry that takes it over goes on with the same
-- command id (M1).
create table ops.idempotency (
  workspace_id uuid        not null,
  method       text        not null,
  path         text        not null,
  key          text        not null,
  body_hash    bytea       not null,
  command_id   uuid        not null,
  lease_until  timestamptz not null,
  status       smallint,
  answer       bytea,                -- sealed; null where it showed a secret
  expires_at   timestamptz not null,
  primary key (workspace_id, key, method, path)
);
comment on table ops.idempotency is 'One row is a remembered answer to an `Idempotency-Key`, sealed.';
create index idempotency_expiry on ops.idempotency (expires_at);
alter table ops.idempotency alter column answer set storage external;

create table ops.api_key_usage (
  key_id       uuid        primary key,
  workspace_id uuid        not null,
  last_used_at timestamptz not null
);
comment on table ops.api_key_usage is 'One row is when an API key was last used; written in batches, and never earlier than it says.';
create index api_key_usage_workspace on ops.api_key_usage (workspace_id);

-- After a crash of Postgres every window begins anew, as in one process that starts again. Times are milliseconds since 1970 by the clock of this server.
create unlogged table ops.rate_window (
  key      uuid   primary key,  -- a hash of which caller is counted where
  ends     bigint not null,
  used     int    not null,     -- requests that were let through and reported
  reserved int    not null,     -- requests that processes may still let through without asking: at most a twentieth of the limit, all together
  blocked  bigint not null
) with (fillfactor = 50);
comment on table ops.rate_window is 'One row is the requests of a caller in a window, counted over all processes.';

-- For each key it reports `p_spent` of what was reserved in `p_window`, lets through up to `p_want` requests now, and grants at most `p_ahead` to be used
-- without asking. Over all processes between limit and limit * 1.05 requests pass before the window is blocked: while used < limit,
-- used + reserved <= limit + limit / 20; and no request is refused before used = limit. A window opens with its first request; the request over the limit
-- blocks the key for a whole window from then on. A window or a block that ends later than one that begins now was written while the clock was ahead,
-- and is over (M55). Keys are locked in their order: two processes never wait for each other.
create function ops.take_rates(p_key uuid[], p_limit int[], p_want int[], p_ahead int[], p_window bigint[], p_spent int[], p_ms bigint)
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
        r.reserved := greatest(r.reserved - p_spent[item], 0);
      end if;
      granted := least(p_want[item], greatest(p_limit[item] - r.used, 0));
      r.used := r.used + granted;
      if granted < p_want[item] then
        r.blocked := v_now + p_ms;
      else
        -- Half of what is left: the next process finds some too.
        ahead := greatest(least(p_ahead[item], (p_limit[item] / 20 - r.reserved + 1) / 2, p_limit[item] - r.used - r.reserved), 0);
        r.reserved := r.reserved + ahead;
      end if;
      update ops.rate_window w set ends = r.ends, used = r.used, reserved = r.reserved, blocked = r.blocked where w.key = r.key;
    end if;
    used := r.used;
    "window" := r.ends;
    ends_in := r.ends - v_now;
    blocked_for := r.blocked - v_now;
    return next;
  end loop;
end $f$;

-- Sign-in (packages/sign-in) --------------------------------------------------------------------------------------------------------------------------

-- A session is over where `credential`, which names the password that it was begun with, or `suspensions`, how often the workspace had stopped being
-- active until then, differs now (M40).
create table ops.session (
  token_hash   bytea       primary key,  -- SHA-256
  workspace_id uuid        not null,
  user_id      uuid        not null,
  credential   bytea       not null,
  suspensions  int         not null,
  created_at   timestamptz not null default now(),
  used_at      timestamptz not null default now()
) with (fillfactor = 70);
comment on table ops.session is 'One row is a session of a user who signed in, by the hash of its token; 7 days at most.';
create index session_of_user on ops.session (workspace_id, user_id, used_at);
create index session_used on ops.session (used_at);

-- After a crash of Postgres the counts begin anew.
create unlogged table ops.sign_in_failure (
  whom    bytea    primary key,  -- a hash of the address
  failed  bigint[] not null,     -- milliseconds since 1970 by the clock of this server, oldest first, each once
  last_at bigint   not null
) with (fillfactor = 70);
comment on table ops.sign_in_failure is
  'One row is the sign-ins to an address that failed in the last 15 minutes, or whose end is not known yet, over all processes.';
create index sign_in_failure_last on ops.sign_in_failure (last_at);

-- Counts a sign-in as failed and says under which moment; or counts nothing and says in how many milliseconds the oldest of `p_max` is over. A moment that
-- the clock has not reached was written while the clock was ahead, and is over (M55).
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
  -- Failures of one moment are some milliseconds apart, so up to a second ahead.
  select coalesce(array_agg(t order by t), '{}') into v_failed from unnest(v_failed) t where t > v_now - p_ms and t <= v_now + 1000;
  if cardinality(v_failed) >= p_max then
    return query select null::bigint, v_failed[1] + p_ms - v_now;
    return;
  end if;
  -- Two in one millisecond differ, so that one of them can be given back.
  if v_now <= v_failed[cardinality(v_failed)] then
    v_now := v_failed[cardinality(v_failed)] + 1;
  end if;
  update ops.sign_in_failure f set failed = v_failed || v_now, last_at = v_now where f.whom = p_whom;
  return query select v_now, null::bigint;
end $f$;

-- Passcodes (packages/passcodes) ------------------------------------------------------------------------------------------------------------------------
--
-- Numbers and prefixes are HMACs under the secret of the workspace. Times are milliseconds since 1970 by the clock of this server. Retention deletes rows
-- whose time is over. A moment that the clock has not reached was written while the clock was ahead, and is over (M55).

create table ops.passcode_number (
  workspace_id uuid not null,
  number       text collate "C" not null,
  sent         bigint[] not null,         -- the last sends, oldest first, as many as the cap allows
  last_at      bigint not null,
  primary key (workspace_id, number)
) with (fillfactor = 70);
comment on table ops.passcode_number is 'One row is the last passcodes sent to a number, for the cap of five in ten minutes.';
create index passcode_number_last on ops.passcode_number (last_at);

create table ops.passcode_window (
  workspace_id uuid not null,
  prefix       text collate "C" not null,  -- empty for the whole workspace
  ends         bigint not null,
  used         int not null,
  primary key (workspace_id, prefix)
) with (fillfactor = 50);
comment on table ops.passcode_window is
  'One row is the passcodes sent in the window that ends at `ends`, to the numbers of one prefix or of the whole workspace.';
create index passcode_window_ends on ops.passcode_window (ends);

-- Returns the locked row of the window that is open now; `used` and `ends` are not written yet.
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
  -- No window that was opened by now ends later than this.
  if r.ends <= v_now or r.ends > v_now + p_ms then
    r.ends := v_now + p_ms;
    r.used := 0;
  end if;
  return r;
end $f$;

-- Counts one send against all three caps, or against none and says which one refuses it and for how many milliseconds. A limit that is null is off. Always
-- locks workspace, prefix, number, in this order. The cap of the number slides: a send is allowed when the one `p_sends` before it is `p_sends_ms` old.
-- The transaction does not wait for the disk: a crash of Postgres forgets the last fraction of a second.
create function ops.take_passcode(
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
      -- Another send came first: its row is there now.
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

-- Sign-ups by forms (command-api) -------------------------------------------------------------------------------------------------------------------------
--
-- Addresses, mailboxes, domains and visitors are keyed digests.

create table ops.form_confirmation (
  workspace_id uuid        not null,
  address      text        not null,  -- or a visitor; empty for the workspace as a whole
  ends         timestamptz not null,
  sent         int         not null,
  primary key (workspace_id, address)
) with (fillfactor = 70);
comment on table ops.form_confirmation is
  'One row is the mails that asked an address, or for a visitor, or in the whole workspace, to confirm a sign-up, while their window lasts.';
create index form_confirmation_ends on ops.form_confirmation (ends);

create table ops.confirmation_mailbox (
  mailbox text        primary key,  -- the address without what providers ignore in it
  ends    timestamptz not null,
  sent    int         not null
) with (fillfactor = 70);
comment on table ops.confirmation_mailbox is
  'One row is the mails that asked a mailbox to confirm something, from all workspaces together, which is why it has none.';
create index confirmation_mailbox_ends on ops.confirmation_mailbox (ends);

-- The mails of a domain fill a bucket that empties in a day: `filled` mails were in it at `filled_at`. The row of the workspace of zeros counts all
-- workspaces together, and has how many sign-ups were confirmed from the domain; a row of that workspace whose `domain` is the digest of a domain and a
-- visitor counts what this visitor made all workspaces send there. From `ends` on the row says nothing.
create table ops.confirmation_domain (
  workspace_id uuid        not null,
  domain       text        not null,
  filled       float8      not null default 0,
  filled_at    timestamptz not null default '-infinity',
  confirmed    float8      not null default 0,
  confirmed_at timestamptz not null default '-infinity',
  ends         timestamptz not null default '-infinity',
  primary key (workspace_id, domain)
) with (fillfactor = 70);
comment on table ops.confirmation_domain is
  'One row is the mails that asked addresses of a domain to confirm a sign-up, and how many did, in a workspace or in all together.';
create index confirmation_domain_ends on ops.confirmation_domain (ends);

-- Returns what is left of a count of confirmations: half of it is forgotten every 30 days.
create function ops.confirmed_by_now(p_confirmed float8, p_at timestamptz) returns float8 language sql volatile as $f$
  select case when p_confirmed = 0 then 0 else p_confirmed * power(0.5, greatest(0, extract(epoch from clock_timestamp() - p_at)) / (30 * 86400)) end
$f$;

-- Returns what is left in a bucket of `p_size`, which empties in a day. One that was filled while the clock was ahead counts as empty (M55).
create function ops.filled_by_now(p_filled float8, p_at timestamptz, p_size float8) returns float8 language sql volatile as $f$
  select case when coalesce(p_filled, 0) = 0 or p_at > clock_timestamp() + interval '1 second' then 0
    else greatest(0, p_filled - p_size * greatest(0, extract(epoch from clock_timestamp() - p_at)) / 86400) end
$f$;

-- Counts one mail to the address, unless one of the limits is reached: 'granted', 'address', or 'workspace' with the milliseconds until its window ends.
-- A workspace gets at most `p_per_workspace` an hour, an address in it at most `p_per_address` a day, whatever runs at once: the row of the workspace is
-- locked first.
create function ops.take_form_confirmation(p_workspace uuid, p_address text, p_per_workspace int, p_per_address int)
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

-- Counts one mail as take_form_confirmation does, and the visitor who asks for it. Once the workspace has sent its share of the hour, a visitor without a mail
-- in that hour gets one all the same, until as many again are sent: what is refused is the flood, and not the visitor beside it.
create function ops.take_form_confirmation_for_visitor(p_workspace uuid, p_address text, p_per_workspace int, p_per_address int, p_client text)
returns table (outcome text, ends_in bigint) language plpgsql as $f$
#variable_conflict use_column
declare
  c_hour constant interval := interval '1 hour';
  v_whole ops.form_confirmation;
  v_client ops.form_confirmation;
  v_bound int := p_per_workspace;
begin
  -- The row of the workspace is locked first, as the function that this one calls does: what runs at once waits here.
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

-- Counts one mail as take_form_confirmation_for_visitor does, and the domain and who asks for it (`p_visitor`, null where it is not known): 'domain' with the
-- milliseconds until the next mail to it may be sent. A bucket holds `p_unproved` mails and `p_each` for every sign-up that was confirmed from the domain:
-- that of a workspace once, that of all workspaces `p_together` times, that of a visitor the part `p_visitors` of it. In a full bucket a visitor without a
-- mail to the domain gets one all the same, up to as many again. Where the bucket of all is full, a workspace may still send as many as were confirmed from
-- the domain. The workspace is not charged for what the domain refuses: a flood of one domain leaves the rest of its hour.
create function ops.take_form_confirmation_for_domain(
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
  -- The domain is locked before the workspace. Rows are written for a mail alone: a flood of made-up domains leaves none.
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
      -- Once the mails of the visitor are forgotten, it counts as one without a mail.
      v_wait := least(v_wait, greatest(v_his_filled / (p_visitors * v_size), (v_own_filled + 1 - 2 * v_size) / v_size,
        (v_all_filled + 1 - 2 * p_together * v_size) / (p_together * v_size)));
    end if;
    return query select 'domain', greatest(1, ceil(v_wait * c_day))::bigint;
    return;
  end if;
  select t.outcome, t.ends_in into outcome, ends_in
    from ops.take_form_confirmation_for_visitor(p_workspace, p_address, p_per_workspace, p_per_address, p_client) t;
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

-- Messages, campaigns and flows (consumers) -----------------------------------------------------------------------------------------------------------------

-- Content is sealed under the key of its subject, and written before the event that names it.
create table ops.content (
  workspace_id uuid not null,
  id           uuid not null,
  subject      text collate "C" not null,
  sealed       bytea not null,
  created_at   timestamptz not null default now(),
  primary key (workspace_id, id)
);
comment on table ops.content is 'One row is the sealed content of a message over 16 KiB.';
create index content_created_at on ops.content (created_at);
-- An erasure deletes what is kept for its person.
create index content_subject on ops.content (workspace_id, subject);
-- Sealed bytes do not compress: Postgres does not try.
alter table ops.content alter column sealed set storage external;

-- Times that were reserved are given out once more after a crash of Postgres, a quarter of a second's worth of each process at most.
create unlogged table ops.send_rate (
  name text   primary key,
  next bigint not null      -- microseconds since 1970 by the clock of this server
) with (fillfactor = 50);
comment on table ops.send_rate is 'One row is when the next message of a channel may be given to its provider, over all processes.';

-- The receipts of an SMSC name nothing but the id that it gave to a part. A submission is one attempt to send the message; it is delivered once all of its
-- parts are. Rows are deleted after seven days.
create table ops.sms_part (
  part_id      text not null,  -- in lower case
  provider     text not null,  -- the SMSC that gave the id: two give the same
  submission   uuid not null,
  workspace_id uuid not null,
  message_id   uuid not null,
  is_delivered boolean not null default false,
  at           timestamptz not null default now(),
  primary key (part_id, submission)
) with (fillfactor = 90);
comment on table ops.sms_part is 'One row is a part of a text message over SMPP, by the id of the SMSC, with the message that it belongs to.';
create index sms_part_submission on ops.sms_part (submission);
create index sms_part_at on ops.sms_part (at);

-- A text is kept from its arrival until it is decided whose it is (M44); a text of a number is decided after those that came before.
create table ops.inbound_text (
  seq          bigint generated always as identity primary key,
  number_key   text        not null,         -- a keyed digest of the number of the sender
  id_key       text        not null unique,  -- a keyed digest of the id of the gateway
  is_stop      boolean     not null,
  head_commit  bigint,                       -- where the log was when the text came; null where it could not be asked
  head_prepare bigint,
  sealed       bytea       not null,         -- the text, under the secret of the installation, which knows no workspace for it yet
  tries        int         not null default 0,
  due_at       timestamptz not null default clock_timestamp()  -- later while a process decides it
);
comment on table ops.inbound_text is 'One row is a text that a person sent, sealed, until the read side shows whose it is.';
create index inbound_text_number on ops.inbound_text (number_key, seq);
create index inbound_text_due on ops.inbound_text (due_at);

-- `last_uid` means nothing under another `uid_validity`.
create table ops.bounce_mailbox (
  mailbox      text primary key,  -- user@host:port/folder
  owner        text,
  epoch        bigint not null default 0,
  expires_at   timestamptz,
  uid_validity bigint not null default 0,
  last_uid     bigint not null default 0
);
comment on table ops.bounce_mailbox is 'One row is how far the mailbox of bounces has been read, and which process reads it.';

create table ops.sender_domain_check (
  workspace_id     uuid        not null,
  domain           text        not null,
  proof_asked_at   timestamptz,
  listing_asked_at timestamptz,
  primary key (workspace_id, domain)
);
comment on table ops.sender_domain_check is
  'One row is when DNS was last asked about a sender domain; the log has what it said. A domain without a row was never asked.';

-- The table may fall back to an earlier moment of itself, together with the checkpoint of its consumer: the log says what was done (ADR 28).
--
-- `due_at`: when the campaign is looked at next, by the clock of the processes. `wakes` counts the events that made it due, so that a look does not undo one
-- that came meanwhile. `begun`: the position of the last message that was begun, which the consumer group `admitted_by` admits; `ahead`: how many were begun
-- since that group was last seen to have admitted all of them. `refusing_since`: when the provider was seen to have taken none of many messages;
-- `refused_tries`: how many looks since then found it to have refused another; `refused_seen`: how many it had refused at the last of these.
create table ops.campaign_run (
  campaign_id     uuid primary key,
  workspace_id    uuid not null,
  due_at          timestamptz not null,
  wakes           bigint not null default 0,
  waits_for       text,              -- why the audience is not taken yet; null where only the read side is waited for
  recipients      integer,           -- null until the audience is taken
  after           uuid not null default '00000000-0000-0000-0000-000000000000',  -- contacts up to this id have been begun
  begun           bigint not null default 0,
  admitted_by     text collate "C",
  ahead           integer not null default 0,
  accepted        boolean not null default false,  -- the provider took a message
  refused         integer not null default 0,      -- messages that the provider refused
  refusing_since  timestamptz,
  refused_tries   integer not null default 0,
  refused_seen    integer not null default 0,
  suspended_since timestamptz,       -- when a campaign that is being sent found its workspace suspended; null while it has not
  owner           text,
  epoch           bigint not null default 0,
  expires_at      timestamptz,
  touched_at      timestamptz not null default clock_timestamp()
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500);
comment on table ops.campaign_run is
  'One row is a campaign that something is to be done about, until it has ended: when, how far it is, and which process does it.';
create index campaign_run_due on ops.campaign_run (due_at);

create table ops.campaign_recipient (
  workspace_id uuid not null,
  campaign_id  uuid not null,
  contact_id   uuid not null,
  primary key (workspace_id, campaign_id, contact_id)
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000);
comment on table ops.campaign_recipient is 'One row is a contact of the audience of a campaign that has no outcome yet.';

-- Notes the provider's answers to messages of campaigns whose recipients are resolved: it accepted one (`p_accepted`), or refused so many. Makes the campaigns
-- due that have no other recipient, and those whose first message it accepted.
create function ops.count_campaign_outcomes(p_campaign uuid[], p_accepted boolean[], p_refused integer[]) returns void
language plpgsql set enable_seqscan = off set enable_bitmapscan = off set plan_cache_mode = force_generic_plan as $f$
begin
  with counted as (
    select r.campaign_id, c.accepted, c.refused,
      not exists (select from ops.campaign_recipient p where p.workspace_id = r.workspace_id and p.campaign_id = r.campaign_id) as over
    from ops.campaign_run r join unnest(p_campaign, p_accepted, p_refused) c(campaign_id, accepted, refused) using (campaign_id)
    order by r.campaign_id for update of r)
  update ops.campaign_run r set accepted = r.accepted or c.accepted, refused = r.refused + c.refused,
    due_at = case when c.over or c.accepted and not r.accepted then '-infinity' else r.due_at end,
    wakes = r.wakes + (c.over or c.accepted and not r.accepted)::int
  from counted c where r.campaign_id = c.campaign_id and (c.over or c.refused > 0 or c.accepted and not r.accepted);
end $f$;

-- Deletes recipients whose messages have an outcome. A process that locks several recipients of a campaign does so in the order of their contacts, so that a
-- planner and the consumer wait for each other, and neither is a deadlock's victim.
create function ops.resolve_recipients(p_workspace uuid[], p_campaign uuid[], p_contact uuid[]) returns void
language plpgsql set enable_seqscan = off set enable_bitmapscan = off set plan_cache_mode = force_generic_plan as $f$
begin
  with locked as materialized (
    select r.ctid as at
    from unnest(p_workspace, p_campaign, p_contact) o(workspace_id, campaign_id, contact_id)
    join ops.campaign_recipient r using (workspace_id, campaign_id, contact_id)
    order by r.workspace_id, r.campaign_id, r.contact_id for update of r)
  delete from ops.campaign_recipient r using locked l where r.ctid = l.at;
end $f$;

-- Takes the outcomes of messages: their recipients (`p_workspace`, `p_recipient_of`, `p_contact`) are resolved, and their campaigns count the provider's answers.
create function ops.resolve_campaign_messages(
  p_workspace uuid[], p_recipient_of uuid[], p_contact uuid[], p_campaign uuid[], p_accepted boolean[], p_refused integer[])
returns boolean language plpgsql set enable_seqscan = off set enable_bitmapscan = off set plan_cache_mode = force_generic_plan as $f$
begin
  perform ops.resolve_recipients(p_workspace, p_recipient_of, p_contact);
  perform ops.count_campaign_outcomes(p_campaign, p_accepted, p_refused);
  return true;
end $f$;

create table ops.flow_message (
  message_id   uuid primary key,
  workspace_id uuid not null,
  flow_id      uuid not null,
  contact_id   uuid not null
);
comment on table ops.flow_message is
  'One row is a queued message of a flow run, which the outcome of the message lets go on: written before the message is accepted, deleted afterwards.';

create table ops.marketing_message (
  workspace_id uuid not null,
  contact_id   uuid not null,
  channel      text collate "C" not null,
  message_id   uuid not null,
  passed_at    timestamptz not null default clock_timestamp(),
  primary key (workspace_id, contact_id, channel, message_id)
);
comment on table ops.marketing_message is
  'One row is a marketing message of the last 90 days that passed the checks, for the frequency cap; one that then was not sent is deleted.';
create index marketing_message_age on ops.marketing_message (passed_at);

-- Judges marketing messages by the cap of their workspace, and counts those that are within it and are to be counted (`p_counts`): one statement and one
-- commit for all that are judged at once. A message is counted once, however often it is tried. Answers in the order of the messages. Two that are judged at
-- once are not of one contact and channel: a lane has one message at work.
create function ops.count_marketing(
  p_workspace uuid[], p_contact uuid[], p_channel text[], p_message uuid[], p_max integer[], p_days integer[], p_counts boolean[])
returns boolean[]
language plpgsql set enable_seqscan = off set enable_bitmapscan = off set plan_cache_mode = force_generic_plan as $f$
declare
  v_fits boolean[];
begin
  with judged as materialized (
    select a.*, others.passed < a.most as fits
    from unnest(p_workspace, p_contact, p_channel, p_message, p_max, p_days, p_counts) with ordinality
      a(workspace_id, contact_id, channel, message_id, most, days, counts, nth)
    cross join lateral (
      select count(*) as passed from (
        select from ops.marketing_message m
        where m.workspace_id = a.workspace_id and m.contact_id = a.contact_id and m.channel = a.channel and m.message_id <> a.message_id
          and m.passed_at > clock_timestamp() - a.days * interval '1 day'
        limit a.most) m) others
  ), counted as (
    insert into ops.marketing_message (workspace_id, contact_id, channel, message_id)
    select distinct j.workspace_id, j.contact_id, j.channel, j.message_id from judged j where j.fits and j.counts order by 1, 2, 3, 4
    on conflict do nothing
  )
  select array_agg(j.fits order by j.nth) into v_fits from judged j;
  return v_fits;
end $f$;

-- The row is written from the log: the process that was asked may die, and another finishes it. It stays when the erasure is finished: after a restore, which
-- may have brought keys back, all of them are gone through again.
create table ops.erasure (
  workspace_id uuid not null,
  contact_id   uuid not null,
  admitted_at  timestamptz not null default clock_timestamp(),
  finished_at  timestamptz,
  primary key (workspace_id, contact_id)
);
comment on table ops.erasure is 'One row is a person who was to be erased, by id, and when that was finished.';
create index erasure_unfinished on ops.erasure (admitted_at) where finished_at is null;
