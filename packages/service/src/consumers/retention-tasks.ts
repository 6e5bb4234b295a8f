import { forgetConfirmations, forgetDomains, forgetMailboxes } from '@tidings/command-api'
import type { Config } from '@tidings/config'
import { detailTasks, forgetCounted, type RetentionTask, shortenQueueLeases } from '@tidings/consumers'
import { deleteExpiredIdempotency } from '@tidings/http'
import { forgetDeadLetters, shortenLeases } from '@tidings/inbox'
import type { Log } from '@tidings/log'
import { passcodeRetention } from '@tidings/passcodes'
import { type Dropped, dropExpired } from '@tidings/projections'
import { deleteOldParts } from '@tidings/receipts'
import { signInRetention } from '@tidings/sign-in'
import type { CommandSide } from '../command-side/command-side.ts'
import { detailDays } from '../retention/detail-days.ts'
import type { Stores } from '../stores/open-stores.ts'

type Parts = Readonly<{ config: Config; stores: Stores; commandSide: CommandSide; log: Log }>

const DEAD_LETTER_DAYS = 30

const DROPPED = {
  previous: 'the tables that a swap took out a day ago were dropped',
  next: 'tables that were built beside the live ones, and not finished or not swapped in within a week, were dropped',
} as const satisfies Record<Dropped['generation'], string>

const dropTables = async (pool: Stores['workPool'], log: Log): Promise<number> => {
  const dropped = await dropExpired(pool)
  if (dropped !== null) log.info({ projection: dropped.projection }, DROPPED[dropped.generation])
  return dropped === null ? 0 : 1
}

/** What ends details of events. In a loop of their own: to clear a table takes longer than what is deleted within the hour may wait. */
export function endingTasks({ config, stores, commandSide: { commands } }: Parts): readonly RetentionTask[] {
  const { workPool, keyRing, log } = stores
  return detailTasks({ log, pool: workPool, commands, keyRing, days: detailDays(config) })
}

/** Everything else that is deleted, or ended, when its time is over. */
export function retentionTasks({ config, stores, commandSide, log }: Parts): readonly RetentionTask[] {
  const { workPool } = stores
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
    { name: 'counts of confirmed domains', batch: 1_000, run: (batch) => forgetDomains(workPool, batch) },
    { name: 'tables beside the live ones', batch: 1, run: () => dropTables(workPool, log) },
    { name: 'leases of a clock that was ahead', batch: 1_000, run: (batch) => shortenLeases(workPool, batch) },
    { name: 'queues of a clock that was ahead', batch: 1_000, run: (batch) => shortenQueueLeases(workPool, batch) },
    { name: 'settled dead letters', batch: 1_000, run: (batch) => forgetDeadLetters(workPool, DEAD_LETTER_DAYS, batch) },
  ]
}
