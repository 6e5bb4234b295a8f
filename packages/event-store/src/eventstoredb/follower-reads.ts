import type { Batch } from '../port.ts'
import type { ReadWithRetries } from './read-with-retries.ts'
import { type Reader, readAhead } from './reader.ts'

/** A follower that failed is asked again after this; the client of the next one finds it by gossip, which takes a while to notice who is away. */
const LEFT_OUT_MS = 30_000

type FollowerReads = Readonly<{ read: ReadWithRetries; leader: Pick<Reader, 'readAll'>; onError: (error: unknown) => void }>

/**
 * Reads the log on a node that does not lead, so that exports, checks and rebuilds take nothing from those who write. It answers what the leader
 * would: a follower may lack the newest events, so only the leader says where the log ends. `read` makes one try; after a failure the leader answers.
 */
export function followerReads({ read, leader, onError }: FollowerReads): Reader['readAll'] {
  let leftOutUntil = 0
  const page = async (...[after, limit]: Parameters<Reader['readAll']>): Promise<Batch | null> => {
    try {
      return await readAhead(read, after, limit)
    } catch (error) {
      leftOutUntil = performance.now() + LEFT_OUT_MS
      onError(error)
      return null
    }
  }
  return async (after, limit) => {
    const found = performance.now() < leftOutUntil ? null : await page(after, limit)
    if (found === null || found.events.length === 0) return await leader.readAll(after, limit)
    const room = limit - found.events.length
    if (!found.caughtUp || room <= 0) return { ...found, caughtUp: false }
    const rest = await leader.readAll(found.to, room)
    return { ...rest, events: [...found.events, ...rest.events] }
  }
}
