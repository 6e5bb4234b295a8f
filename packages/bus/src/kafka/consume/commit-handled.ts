import type { Consumer as Client } from 'kafkajs'
import type { Reader } from './deliver.ts'

type Committing = Readonly<{ client: Client; topic: string; readers: ReadonlySet<Reader>; expected: number }>

/**
 * Commits the offsets that all groups of the process have handled. Positions in Postgres decide what is handled: offsets only say where the next
 * member begins to fetch. So a commit that fails costs some records that are dropped, and there is none while a group is missing: it would not
 * be given what it has not handled.
 */
export function commitHandled({ client, topic, readers, expected }: Committing): void {
  if (readers.size < expected) return
  const offsets = handledByAll([...readers])
  if (offsets.size === 0) return
  const handled = [...offsets].map(([partition, offset]) => ({ topic, partition, offset: String(offset) }))
  client.commitOffsets(handled).catch(() => undefined)
}

const handledByAll = (readers: readonly Reader[]): ReadonlyMap<number, bigint> => {
  const feeds = readers.map(({ member }) => member.feed.handled)
  const offsets = new Map<number, bigint>()
  for (const partition of feeds[0]?.keys() ?? []) {
    const each = feeds.map((handled) => handled.get(partition))
    if (each.some((offset) => offset === undefined)) continue
    offsets.set(
      partition,
      each.reduce<bigint>((least, offset) => (offset !== undefined && offset < least ? offset : least), each[0] ?? 0n),
    )
  }
  return offsets
}
