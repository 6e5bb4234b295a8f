import type { Consumer as Client } from 'kafkajs'
import type { Reader } from './member.ts'

type Committing = Readonly<{
  client: Readonly<{ commitOffsets: Client['commitOffsets'] }>
  topic: string
  readers: ReadonlySet<Reader>
  groups: readonly string[]
}>

/** The records that a group may be behind and that are given to all once more; a group that fails for hours has its events from the log. */
const MOST_AGAIN = 50_000n

/** The least of some offsets, but for those that are further than that behind the last. */
export function leastNear(offsets: readonly bigint[], last: bigint, mostAgain = MOST_AGAIN): bigint {
  return inOrder(offsets).find((offset) => last - offset <= mostAgain) ?? last
}

/** Sorted from the least. */
export function inOrder(offsets: readonly bigint[]): readonly bigint[] {
  return offsets.toSorted((a, b) => (a < b ? -1 : 1))
}

/**
 * Commits the offsets that all groups of the process have handled. Positions in Postgres decide what is handled: offsets only say where the next
 * member begins to fetch. So a commit that fails costs some records that are dropped, and there is none while a group is missing: it would not
 * be given what it has not handled.
 */
export function commitHandled({ client, topic, readers, groups }: Committing): void {
  const present = new Set([...readers].map(({ member }) => member.membership.group))
  if (!groups.every((group) => present.has(group))) return
  const offsets = handledByAll([...readers])
  if (offsets.size === 0) return
  const handled = [...offsets].map(([partition, offset]) => ({ topic, partition, offset: String(offset) }))
  client.commitOffsets(handled).catch(() => undefined)
}

const handledByAll = (readers: readonly Reader[]): ReadonlyMap<number, bigint> => {
  const feeds = readers.map(({ member }) => member.feed)
  const offsets = new Map<number, bigint>()
  for (const [partition, given] of feeds[0]?.given ?? []) {
    const each = feeds.map(({ handled }) => handled.get(partition))
    if (each.includes(undefined)) continue
    const handled = each.filter((offset) => offset !== undefined)
    offsets.set(partition, leastNear(handled, given))
  }
  return offsets
}
