import { setTimeout as sleep } from 'node:timers/promises'
import type { Pool } from 'pg'
import { type LeasedKey, release } from './table.ts'

/** A little over a minute: as long as a database that is started again takes. Afterwards the key waits for the same body, or for its expiry. */
const DELAYS_MS = [500, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000]
const MAX_WAITING = 1_000

/** Frees keys that could not be freed when their answer was given, mostly because the database was away then. Keeps at most 1 000 in mind. */
export function createReleaseLater(pool: Pool): (leased: LeasedKey) => void {
  let waiting = 0

  const retry = async (leased: LeasedKey): Promise<void> => {
    for (const delayMs of DELAYS_MS) {
      await sleep(delayMs, undefined, { ref: false })
      const freed = await release(pool, leased).then(
        () => true,
        () => false, // away still, or the pool is closed: the next attempt, or none
      )
      if (freed) return
    }
  }

  return (leased) => {
    if (waiting >= MAX_WAITING) return
    waiting++
    void retry(leased).finally(() => {
      waiting--
    })
  }
}
