import type { Batch, EachBatchPayload } from 'kafkajs'
import { type Delivery, deliveriesOf } from './delivery.ts'
import { type Feed, give, leaveBehind } from './feed.ts'
import { type Member, type Reader, report } from './member.ts'

/** `wanted`: the types that any of the groups asks for. `nextMove`: resolves when a reader has taken something or is idle, and now and then. */
export type Delivering = Readonly<{
  readers: ReadonlySet<Reader>
  wanted: ReadonlySet<string>
  nextMove: () => Promise<void>
  ending: AbortSignal
}>

/** What the client says of a fetch, and asks about it. */
type Payload = Pick<EachBatchPayload, 'resolveOffset' | 'heartbeat' | 'isRunning' | 'isStale'> &
  Readonly<{ batch: Pick<Batch, 'partition' | 'messages' | 'highWatermark'> }>

/** Events read at once; the event loop is free in between. */
const PORTION = 1_000
/** How long a group may keep others waiting that have nothing to do. */
const LEAVE_BEHIND_MS = 500

/**
 * Gives what the client fetched from one partition to all groups, and waits until they have taken it: one portion is handled, one waits, and the
 * client fetches no more. The client calls it for all partitions at once. A group that is slow or fails is left behind after half a second, if another
 * one has nothing to do: none waits for another. Only the error of a heartbeat is thrown, which tells the client that its group rebalances.
 */
export async function deliver(delivering: Delivering, payload: Payload): Promise<void> {
  const { batch, resolveOffset, heartbeat, isRunning, isStale } = payload
  for (const delivery of deliveriesOf(batch, delivering.wanted, PORTION)) {
    const given = [...delivering.readers].map((reader) => giveTo(reader, delivery))
    await untilTaken(delivering, delivery, heartbeat)
    // Assigned anew meanwhile: offsets of the assignment before say nothing in this one.
    if (given.some(({ member, feed }) => member.feed !== feed)) return
    resolveOffset(String(delivery.next - 1n))
    await heartbeat()
    if (!isRunning() || isStale()) return
  }
}

function giveTo({ member, work }: Reader, delivery: Delivery): Readonly<{ member: Member; feed: Feed }> {
  const { feed, membership } = member
  give(feed, delivery, membership.relay)
  member.lastReceivedAt.set(delivery.partition, performance.now())
  member.rescues.delete(delivery.partition)
  report(member)
  work()
  return { member, feed }
}

async function untilTaken({ readers, nextMove, ending }: Delivering, delivery: Delivery, heartbeat: () => Promise<void>): Promise<void> {
  for (let blockedSince: number | null = null; !ending.aborted; ) {
    const owing = [...readers].filter(({ member }) => member.feed.untaken.includes(delivery))
    if (owing.length === 0) return
    const isBlocked = [...readers].some(({ member }) => !member.isWorking)
    blockedSince = isBlocked ? (blockedSince ?? performance.now()) : null
    if (blockedSince !== null && performance.now() - blockedSince > LEAVE_BEHIND_MS) {
      for (const { member } of owing) leaveBehind(member.feed, member.membership.relay)
      return
    }
    await nextMove()
    await heartbeat()
  }
}
