import { forgetConfirmations, forgetMailboxes } from '@tidings/command-api'
import type { Config } from '@tidings/config'
import { forgetCounted, type RetentionTask } from '@tidings/consumers'
import { deleteExpiredIdempotency } from '@tidings/http'
import { forgetDeadLetters } from '@tidings/inbox'
import type { Log } from '@tidings/log'
import { passcodeRetention } from '@tidings/passcodes'
import { dropPrevious } from '@tidings/projections'
import { deleteOldParts } from '@tidings/receipts'
import { signInRetention } from '@tidings/sign-in'
import type { CommandSide } from '../command-side/command-side.ts'
import type { Stores } from '../stores/open-stores.ts'

type Parts = Readonly<{ config: Config; stores: Stores; commandSide: CommandSide; log: Log }>

const DEAD_LETTER_DAYS = 30

const dropSwappedOut = async (pool: Stores['workPool'], log: Log): Promise<number> => {
  const projection = await dropPrevious(pool)
  if (projection !== null) log.info({ projection }, 'the tables that a swap took out a day ago were dropped')
  return projection === null ? 0 : 1
}

/** Everything that is deleted when its time is over. */
export function retentionTasks({ config, stores: { workPool }, commandSide, log }: Parts): readonly RetentionTask[] {
  return [
    {
      name: 'message content',
      batch: 1,
      run: () => commandSide.contents.deleteOlderThan(config.retention.contentDays),
    },
    { name: 'parts of text messages', batch: 1_000, run: (batch) => deleteOldParts(workPool, batch) },
    { name: 'counted marketing messages', batch: 1_000, run: (batch) => forgetCounted(workPool, batch) },
    { name: 'remembered answers', batch: 1_000, run: (batch) => deleteExpiredIdempotency(workPool, batch) },
    ...passcodeRetention(workPool),
    ...signInRetention(workPool),
    { name: 'counts of form confirmations', batch: 1_000, run: (batch) => forgetConfirmations(workPool, batch) },
    { name: 'counts of confirmed mailboxes', batch: 1_000, run: (batch) => forgetMailboxes(workPool, batch) },
    { name: 'tables that a swap took out', batch: 1, run: () => dropSwappedOut(workPool, log) },
    { name: 'settled dead letters', batch: 1_000, run: (batch) => forgetDeadLetters(workPool, DEAD_LETTER_DAYS, batch) },
  ]
}
