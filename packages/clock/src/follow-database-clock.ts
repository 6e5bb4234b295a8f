import { startTicker } from '@tidings/async'
import { learn } from './database-now.ts'

type ClockRow = Readonly<{ ms: number }>

/** What a pool is to a clock. */
type ClockDatabase = Readonly<{ query: (text: string) => Promise<Readonly<{ rows: readonly ClockRow[] }>> }>

const SQL = 'select extract(epoch from clock_timestamp())::float8 * 1000 as ms'
const EVERY_MS = 10_000
/** A new connection is slow at the start, and its first answer is imprecise. */
const FIRST_ASKS = 3

/** Lets `databaseNow` follow the database's clock; resolves when the time is known. While the database is away, the time runs on. */
export async function followDatabaseClock(
  database: ClockDatabase,
  { everyMs = EVERY_MS }: Readonly<{ everyMs?: number }> = {},
): Promise<Readonly<{ stop: () => void }>> {
  const ask = async (): Promise<void> => {
    const askedAt = performance.now()
    const { rows } = await database.query(SQL)
    const [row] = rows
    if (row !== undefined) learn({ time: row.ms, askedAt, answeredAt: performance.now() })
  }
  for (let n = 0; n < FIRST_ASKS; n++) await ask()
  // The next tick asks again.
  return startTicker(everyMs, () => ask().catch(() => undefined))
}
