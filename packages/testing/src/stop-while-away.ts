import pg from 'pg'
import { vi } from 'vitest'

type Running = Readonly<{ stop: () => Promise<void> }>
/** What runs gets a pool that connects to nothing, and says what failed. */
type StopOptions = Readonly<{ pool: pg.Pool; onFault: (error: unknown) => void }>

/**
 * Lets something fail on a database that is away, and stops it on a clock that stands still: where a stop waited for the next try, it would
 * not return. Returns the faults that were reported.
 */
export async function stopWhileAway(run: (away: StopOptions) => Running): Promise<readonly unknown[]> {
  const pool = new pg.Pool()
  await pool.end()
  const faults: unknown[] = []
  const first = Promise.withResolvers<void>()
  const onFault = (error: unknown): void => {
    faults.push(error)
    first.resolve()
  }
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  try {
    const running = run({ pool, onFault })
    await first.promise
    await running.stop()
    return faults
  } finally {
    vi.useRealTimers()
  }
}
