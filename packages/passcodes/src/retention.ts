import { forgetEndedPasscodes, shredOldPasscodes } from '@tidings/codec/keys'
import type { Pool } from 'pg'
import { deleteExpiredCaps } from './send-caps.ts'

/** This is far longer than a passcode lives (5 min), and than the sweep of the wallets leaves its message queued (15 min). */
const KEY_SECONDS = 3_600

/** This is more than any clock is wrong: the time of a passcode's id is its process's. */
const ROW_DAYS = 7

type Task = Readonly<{ name: string; batch: number; run: (batch: number) => Promise<number> }>

/** What need not be kept of passcodes: their keys, and with them number and digest in the log, and the counts of the caps. */
export function passcodeRetention(pool: Pool): readonly Task[] {
  return [
    { name: 'keys of passcodes', batch: 1_000, run: (batch) => shredOldPasscodes(pool, { seconds: KEY_SECONDS, limit: batch }) },
    { name: 'rows of deleted passcodes', batch: 1_000, run: (batch) => forgetEndedPasscodes(pool, { days: ROW_DAYS, limit: batch }) },
    { name: 'counts of passcodes', batch: 1_000, run: (batch) => deleteExpiredCaps(pool, batch) },
  ]
}
