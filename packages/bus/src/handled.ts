import type { Recorded } from '@tidings/codec'
import { comparePositions, laterPosition, type Position, START } from '@tidings/event-store'
import type { RowLease } from '@tidings/jobs'
import type { ClientBase, Pool } from 'pg'
import { partitionOfEvent } from './partition.ts'
import type { Session } from './session.ts'

type PartitionPosition = Readonly<{ partition: number; commit: bigint; prepare: bigint }>

/**
 * Takes the group from the members that read it from Kafka: their epoch is fenced. It continues in the log after the slowest partition. A
 * stop meanwhile loses nothing: the positions of the partitions stay until the session has passed all of them.
 */
export async function returnFromKafka(tx: ClientBase, { lease, at }: Readonly<{ lease: RowLease; at: Position }>): Promise<Session> {
  const { name: group, epoch } = lease
  // Waits for effects that are being written under the old epoch, and sees them.
  await tx.query('update ops.consumer_partition set epoch = $2 where consumer_group = $1', [group, epoch])
  const { rows } = await tx.query<PartitionPosition>(
    `select partition, position_commit as commit, position_prepare as prepare from ops.consumer_partition
     where consumer_group = $1 order by partition`,
    [group],
  )
  const partitions = rows.map(({ commit, prepare }) => ({ commit, prepare }))
  const sorted = partitions.toSorted(comparePositions)
  const slowest = sorted[0] ?? START
  const from = laterPosition(at, slowest)
  await tx.query('update ops.consumer_checkpoint set position_commit = $2, position_prepare = $3 where consumer_group = $1', [
    group,
    from.commit,
    from.prepare,
  ])
  return { lease, at: from, handled: { partitions, furthest: sorted.at(-1) ?? START } }
}

/** The events of these that the group has not handled yet. */
export function notHandled({ handled }: Session, events: readonly Recorded[]): readonly Recorded[] {
  if (handled === null) return events
  const { partitions } = handled
  return events.filter((event) => comparePositions(event.position, partitions[partitionOfEvent(event, partitions.length)] ?? START) > 0)
}

/** The group is one of the log again once the session is behind everything that was handled in Kafka. */
export async function forgetHandled(pool: Pool, session: Session): Promise<void> {
  if (session.handled === null || comparePositions(session.at, session.handled.furthest) < 0) return
  const freed = await pool.query(
    `with freed as (update ops.consumer_checkpoint set relay = null where consumer_group = $1 and epoch = $2 returning consumer_group)
     delete from ops.consumer_partition p using freed where p.consumer_group = freed.consumer_group`,
    [session.lease.name, session.lease.epoch],
  )
  if (freed.rowCount !== 0) session.handled = null
}
