import type { Recorded } from '@tidings/codec'
import { comparePositions, type Position, START } from '@tidings/event-store'
import type { ClientBase, Pool } from 'pg'
import type { Session } from './checkpoint.ts'
import { partitionOfEvent } from './partition.ts'

/** How far a group was in each partition when it left Kafka: the events up to there are behind it, although the log shows them again. */
export type Handled = Readonly<{ partitions: readonly Position[]; furthest: Position }>

type Place = Readonly<{ partition: number; commit: bigint; prepare: bigint }>

/**
 * Takes the group from whoever reads it from Kafka: with the old epoch they write nothing any more. It goes on in the log behind the
 * slowest partition. A stop on the way loses nothing: the places stay until all of them are passed.
 */
export async function comeBack(tx: ClientBase, { lease, at }: Pick<Session, 'lease' | 'at'>): Promise<Session> {
  const { name: group, epoch } = lease
  // Waits for effects that are being written under the old epoch, and sees them.
  await tx.query('update ops.consumer_partition set epoch = $2 where consumer_group = $1', [group, epoch])
  const { rows } = await tx.query<Place>(
    `select partition, position_commit as commit, position_prepare as prepare from ops.consumer_partition
     where consumer_group = $1 order by partition`,
    [group],
  )
  const partitions = rows.map(({ commit, prepare }) => ({ commit, prepare }))
  const sorted = partitions.toSorted(comparePositions)
  const slowest = sorted[0] ?? START
  const from = comparePositions(slowest, at) > 0 ? slowest : at
  await tx.query('update ops.consumer_checkpoint set position_commit = $2, position_prepare = $3 where consumer_group = $1', [
    group,
    from.commit,
    from.prepare,
  ])
  return { lease, at: from, handled: { partitions, furthest: sorted.at(-1) ?? START } }
}

/** What of these events the group has not handled yet. */
export function notHandled({ handled }: Session, events: readonly Recorded[]): readonly Recorded[] {
  if (handled === null) return events
  const { partitions } = handled
  return events.filter((event) => comparePositions(event.position, partitions[partitionOfEvent(event, partitions.length)] ?? START) > 0)
}

/** Once the session is behind everything that was handled in Kafka, the group is one of the log again. */
export async function forgetHandled(pool: Pool, session: Session): Promise<void> {
  if (session.handled === null || comparePositions(session.at, session.handled.furthest) < 0) return
  const freed = await pool.query(
    `with freed as (update ops.consumer_checkpoint set relay = null where consumer_group = $1 and epoch = $2 returning consumer_group)
     delete from ops.consumer_partition p using freed where p.consumer_group = freed.consumer_group`,
    [session.lease.name, session.lease.epoch],
  )
  if (freed.rowCount !== 0) session.handled = null
}
