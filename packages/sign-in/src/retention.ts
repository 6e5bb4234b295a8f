import type { Pool } from 'pg'
import { deleteOldFailures } from './failures.ts'
import { deleteOldSessions } from './sessions.ts'
import { deleteOldLinks } from './sign-in-links.ts'

type Task = Readonly<{ name: string; batch: number; run: (batch: number) => Promise<number> }>

/** Deletes rows of sign-ins that are not needed any more. */
export function signInRetention(pool: Pool): readonly Task[] {
  return [
    { name: 'sessions', batch: 1_000, run: (batch) => deleteOldSessions(pool, batch) },
    { name: 'sign-in links', batch: 1_000, run: (batch) => deleteOldLinks(pool, batch) },
    { name: 'failed sign-ins', batch: 1_000, run: (batch) => deleteOldFailures(pool, batch) },
  ]
}
