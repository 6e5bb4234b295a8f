import { setTimeout as sleep } from 'node:timers/promises'
import { eventStoreDbStore } from '@tidings/event-store/eventstoredb'
import { startEventStoreProcess, startTcpProxy } from '@tidings/testing/eventstoredb'
import { storedEvents } from '../e2e/support/stored-log.ts'

/** The store of a chaos world's log. */
export type LogPlace = 'postgres' | 'eventstoredb'

/** An EventStoreDB in a process of its own, with its log in a file, and the wire that the service reaches it by. */
export type ChaosEventStore = Readonly<{
  connectionString: string
  /** `kill -9`, an absence of `awayMs` (up to two seconds where it is not given), and back with its log. */
  killAndRestart: (awayMs?: number) => Promise<void>
  /** Resets the connections a few times, whatever travels on them. */
  cut: () => Promise<void>
  count: () => Promise<LogCounts>
  stop: () => Promise<void>
}>

/** All but the first have to be 0. `repeatedIds`: events that stand in the log twice. */
export type LogCounts = Readonly<{ events: number; holes: number; revisionGaps: number; repeatedIds: number }>

const CUTS = 4

export async function startChaosEventStore(data: string): Promise<ChaosEventStore> {
  const server = await startEventStoreProcess({ data })
  const proxy = await startTcpProxy(0, server.port)
  return {
    connectionString: `esdb://127.0.0.1:${proxy.port}?tls=false`,
    killAndRestart: async (awayMs = Math.random() * 2_000) => {
      await server.kill()
      await sleep(awayMs)
      await server.start()
    },
    cut: async () => {
      for (let n = 0; n < CUTS; n++) {
        proxy.cut()
        await sleep(50 + Math.random() * 300)
      }
    },
    count: () => count(server.connectionString),
    stop: async () => {
      await proxy.close()
      await server.stop()
    },
  }
}

/** Positions have no holes to speak of here; revisions of a stream do. */
const count = async (connectionString: string): Promise<LogCounts> => {
  const store = eventStoreDbStore({ connectionString })
  try {
    const events = await storedEvents(store)
    const streams = Map.groupBy(events, ({ stream }) => stream)
    const gaps = [...streams.values()].filter((own) => own.some(({ revision }, n) => revision !== n))
    return {
      events: events.length,
      holes: 0,
      revisionGaps: gaps.length,
      repeatedIds: events.length - new Set(events.map(({ id }) => id)).size,
    }
  } finally {
    await store.close()
  }
}
