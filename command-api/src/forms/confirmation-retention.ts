import type { Pool } from 'pg'
import { forgetConfirmations } from './confirmation-cap.ts'
import { forgetDomains } from './domain-cap.ts'
import { forgetMailboxes } from './mailbox-cap.ts'

type Task = Readonly<{ name: string; batch: number; run: (batch: number) => Promise<number> }>

/** Deletes old counts of the caps of mails that ask to confirm something. */
export function confirmationRetention(pool: Pool): readonly Task[] {
  return [
    { name: 'counts of form confirmations', batch: 1_000, run: (batch) => forgetConfirmations(pool, batch) },
    { name: 'counts of confirmed mailboxes', batch: 1_000, run: (batch) => forgetMailboxes(pool, batch) },
    { name: 'counts of confirmed domains', batch: 1_000, run: (batch) => forgetDomains(pool, batch) },
  ]
}
