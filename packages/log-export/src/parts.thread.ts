import { serveJobs } from '@tidings/async/threads'
import type { EventLog, MasterKeyTexts } from '@tidings/codec'
import type { EventStore, LogRange } from '@tidings/event-store'
import { openLogSource } from '@tidings/event-store/log-source'
import type { Pool } from 'pg'
import type { Part } from './part.ts'
import { linesIn, type ThreadData } from './parts-in-threads.ts'

/** Loaded only where personal data is opened: it is most of what there is to load. */
const openLog = async (pool: Pool, store: EventStore, keys: MasterKeyTexts): Promise<EventLog> => {
  const [{ createEventLog, openKeyRing, upcasters }, { eventDeclarations }] = await Promise.all([
    import('@tidings/codec'),
    import('@tidings/domain'),
  ])
  return createEventLog({ store, declarations: eventDeclarations, upcasters, keyRing: await openKeyRing({ pool, ...keys }) })
}

serveJobs<ThreadData, LogRange, Part>(async ({ source, keys, known, wanted }) => {
  const { pool, store } = openLogSource(source)
  const lines = linesIn({ store, log: keys === null ? null : await openLog(pool, store, keys), known }, wanted)
  return async (range) => {
    const part = await lines(range)
    // The export's own thread makes this part again, up to the event that cannot be exported, and has the error itself.
    if (part.failure !== null) throw part.failure
    return part
  }
})
