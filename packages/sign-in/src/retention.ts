import type { Pool } from 'pg'
import { deleteOldFailures } from './failures.ts'
import { deleteOldSessions } from './sessions.ts'

type Task = Readonly<{ name: string; batch: number; run: (batch: number) => Promise<number> }>

/** What need not be kept of sign-ins. */
export function signInRetention(pool: Pool): readonly Task[] {
  return [
    { name: 'sessions', batch: 1_000, run: (batch) => deleteOldSessions(pool, batch) },
    { name: 'failed sign-ins', batch: 1_000, run: (batch) => deleteOldFailures(pool, batch) },
  ]
}
