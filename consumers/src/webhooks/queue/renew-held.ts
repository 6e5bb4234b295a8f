import type { Pool } from 'pg'
import type { Hand } from './hand.ts'
import { renewQueues } from './statements.ts'

/** What network and clocks may cost between the server's count of a lease and ours. */
export const MARGIN_MS = 1_000

/** Renews the leases of the queues that are held; one that is another process's by now is lost. */
export async function renewHeld(pool: Pool, hand: Hand, { owner, leaseMs }: Readonly<{ owner: string; leaseMs: number }>): Promise<void> {
  const askedAt = performance.now()
  const held = [...hand.queues.values()]
  const ids = held.map(({ endpointId }) => endpointId)
  const kept = new Set(await renewQueues(pool, owner, ids, leaseMs))
  for (const queue of held) {
    if (kept.has(queue.endpointId)) queue.until = askedAt + leaseMs - MARGIN_MS
    else hand.lose(queue)
  }
}
