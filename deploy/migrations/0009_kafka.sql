-- What stands between the log and consumers that read it from Kafka.
--
-- As with consumer_checkpoint, all of it may fall back to an earlier moment of itself: the relay publishes a suffix again, and a consumer
-- that finds a hole behind its position reads it from the log. So these transactions do not wait for the disk either.

-- The relay whose topic the group reads; null: it reads the log. While it reads a topic, `position` stays where it left the log,
-- and consumer_partition tells where it is.
alter table ops.consumer_checkpoint add column relay uuid;

-- How far a group is in each partition: it has handled every event of that partition up to and including the position.
-- `epoch` is that of consumer_checkpoint: whoever takes the group from Kafka writes a new one here first.
create table ops.consumer_partition (
  consumer_group text collate "C" not null,
  partition integer not null,
  epoch bigint not null,
  position_commit bigint not null,
  position_prepare bigint not null,
  updated_at timestamptz not null default now(),
  primary key (consumer_group, partition)
) with (fillfactor = 50);

-- One row a topic: how far the log has been published, and by whom. Records carry the relay's id: those of another installation,
-- or of the time before a backup was restored, are told apart by it. `types`: what is published.
create table ops.relay (
  topic text collate "C" primary key,
  id uuid not null default gen_random_uuid(),
  partitions integer not null,
  types text[] not null,
  position_commit bigint not null,
  position_prepare bigint not null,
  owner uuid,
  epoch bigint not null default 0,
  lease_until timestamptz,
  updated_at timestamptz not null default now()
) with (fillfactor = 50);

-- The last position published to each partition. The next record of the partition carries it.
create table ops.relay_partition (
  topic text collate "C" not null references ops.relay on delete cascade,
  partition integer not null,
  position_commit bigint not null,
  position_prepare bigint not null,
  primary key (topic, partition)
) with (fillfactor = 50);

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

-- Moves the relay, and the last positions of the partitions it has just published to, if it is where and whose the caller believes.
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

-- A `record` of Kafka that is no event of ours: its reference names topic, partition and offset, and there is nothing to take again.
alter table ops.dead_letter drop constraint dead_letter_source_check,
  add constraint dead_letter_source_check check (source in ('event', 'job', 'record'));
