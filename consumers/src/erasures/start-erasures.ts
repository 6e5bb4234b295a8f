import { runDirectConsumer, type Transport } from '@tidings/bus'
import { runLeasedRounds } from '../leased-rounds.ts'
import type { RunningConsumers } from '../start-consumers.ts'
import { eraseContact } from './erase-contact.ts'
import type { Erasing } from './erasing.ts'
import { erasureConsumer } from './erasure-consumer.ts'
import { unfinishedErasures } from './erasure-table.ts'

/** `afterSeconds`: how long the process that was asked has for it. `everyMs`: between two rounds. */
export type ErasuresOptions = Erasing &
  Readonly<{ transport?: Transport; afterSeconds?: number; everyMs?: number; onFault: (error: unknown) => void }>

const LIMIT = 100

/** Finishes the erasures that were asked for and left, in one process at a time; one that fails is tried again in the next round. */
export function startErasures(options: ErasuresOptions): RunningConsumers {
  const { log, pool, onFault, transport = runDirectConsumer, afterSeconds = 30, everyMs = 1_000 } = options
  // From the start of the log: the request may be older than the group.
  const running = transport({ consumer: erasureConsumer, log, pool, startAt: 'start', onFault })
  const rounds = runLeasedRounds({
    pool,
    task: 'erasures',
    everyMs,
    onFault,
    round: async (ending) => {
      for (const of of await unfinishedErasures(pool, { afterSeconds, limit: LIMIT })) {
        if (ending.aborted) return
        await eraseContact(options, of, ending).catch((error: unknown) => {
          if (!ending.aborted) onFault(error)
        })
      }
    },
  })
  return {
    views: [],
    progress: () => ({ [running.group]: running.progress() }),
    stop: async () => {
      await Promise.all([running.stop(), rounds.stop()])
    },
  }
}
