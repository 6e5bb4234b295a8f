import { type Consumer, runDirectConsumer, type Transport } from '@tidings/bus'
import type { Recorded } from '@tidings/codec'
import { type ContactErasureRequested, type ContactEvent, contactStream, contactSubject } from '@tidings/domain'
import type { Logger } from '@tidings/observability/log'
import { observe, sharedRead } from '@tidings/observability/metrics'
import { createFirstHeads } from '@tidings/projections'
import type { Pool } from 'pg'
import { runLeasedRounds } from '../leased-rounds.ts'
import { faultLines, type RunningConsumers } from '../running.ts'
import { eraseContact, refuseLeft, refuseParked } from './erase-contact.ts'
import type { Erasing } from './erasing.ts'
import { admitErasures, type ErasureRef, finishErasure, openErasures, type Unfinished, unfinishedErasures } from './erasure-table.ts'
import { readPerson } from './person.ts'

/**
 * `requestPool`: for what is read at a scrape. `canWork`: whether this process has the master key in force. `afterSeconds`: how long the process that was asked has for
 * it. `everyMs`: between two rounds of `limit` each.
 */
export type ErasuresOptions = Erasing &
  Readonly<{
    requestPool: Pool
    canWork: () => boolean
    logger: Logger
    transport?: Transport
    afterSeconds?: number
    everyMs?: number
    limit?: number
  }>

const LIMIT = 100
/** A round of a hundred that all wait comes back to the first after an hour. */
const KEPT_MS = 6 * 3_600_000

/**
 * Finishes the erasures that were asked for and left, in one process at a time. A round goes on behind the last one that was tried, so that those
 * that fail again and again delay no other.
 */
export function startErasures(options: ErasuresOptions): RunningConsumers {
  const { log, pool, canWork, logger, transport = runDirectConsumer, afterSeconds = 30, everyMs = 15_000, limit = LIMIT } = options
  const report = faultLines(logger, 'an erasure could not be finished; it is tried again')
  const onFault = (error: unknown): void => report(error, null, null)
  observeErasures(options.requestPool)
  const erasing: Erasing = { heads: createFirstHeads(() => log.head(), { keptMs: KEPT_MS }), ...options }
  let tried: Unfinished | null = null
  // The group reads from the start of the log: the request may be older than the group.
  const running = transport({ consumer: erasureConsumer, log, pool, startAt: 'start', onFault })
  const rounds = runLeasedRounds({
    pool,
    task: 'erasures',
    everyMs,
    canWork,
    onFault,
    round: async (ending) => {
      const some: readonly Unfinished[] = await unfinishedErasures(pool, { afterSeconds, limit, behind: tried })
      for (const of of some) {
        if (ending.aborted) return
        await finish(erasing, of, ending).catch((error: unknown) => {
          if (!ending.aborted) onFault(error)
        })
        tried = of
      }
      if (some.length < limit) tried = null
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

/** Erasures of persons that are not finished, in the installation. */
const observeErasures = (pool: Pool): void => {
  const open = sharedRead(() => openErasures(pool))
  observe({ name: 'tidings_erasures_open', help: 'Erasures of persons that are not finished', read: async () => (await open()).open })
  observe({
    name: 'tidings_erasure_oldest_seconds',
    help: 'How long the oldest of them has been waiting',
    read: async () => (await open()).oldestSeconds,
  })
}

const finish = async (erasing: Erasing, of: ErasureRef, ending: AbortSignal): Promise<void> => {
  if (!(await finishErased(erasing, of))) await eraseContact(erasing, of, ending)
}

/** Notes what is to be erased; the rounds finish what the process that was asked does not. */
export const erasureConsumer: Consumer = {
  group: 'erasures',
  types: ['ContactErasureRequested'],
  handle: async (events, tx) => {
    const requests = events as readonly Recorded<ContactErasureRequested>[]
    await admitErasures(
      tx,
      requests.map(({ meta, data }) => ({ workspaceId: meta.workspaceId, contactId: data.contactId })),
    )
    return undefined
  },
}

/**
 * Finishes an erasure that has been whole before, as after a restore, or was delayed by a table at its end: the log has its end, and the stored key is destroyed. False where there is
 * something to do, as where the restore has brought the key back.
 */
async function finishErased({ log, pool, keyRing, settle, locations }: Erasing, of: ErasureRef): Promise<boolean> {
  const { workspaceId, contactId } = of
  const [last] = await log.readStream<ContactEvent>(workspaceId, contactStream(workspaceId, contactId), {
    direction: 'backwards',
    limit: 1,
  })
  if (last?.type !== 'ContactErased') return false
  const [keys] = await keyRing.load([{ workspaceId, subject: contactSubject(of) }])
  if (keys?.length !== 0) return false
  await settle(last.position)
  await refuseParked(pool, of)
  const person = await readPerson(log, of)
  if (person !== null) await refuseLeft({ locations }, person)
  await finishErasure(pool, of)
  return true
}
