import type { LastSeen } from '../last-seen.ts'
import { type Batch, comparePositions, type Position, type ReadStreamOptions, type RecordedEvent, START } from '../port.ts'
import type { Connection } from './connection.ts'
import type { Recorded } from './decode-read.ts'
import type { LogCheck } from './log-check.ts'
import { readAllRequest, readLastRequest, readStreamRequest } from './read-requests.ts'
import { type ReadTimes, type ReadWithRetries, readWithRetries } from './read-with-retries.ts'

export type Reader = Readonly<{
  readStream: (stream: string, options?: ReadStreamOptions) => Promise<readonly RecordedEvent[]>
  readAll: (after: Position | 'start', limit: number) => Promise<Batch>
  head: () => Promise<Position>
  /** The head, learning which event of ours is the last: by it the log is recognised, also where nothing happens from now on. */
  learnHead: () => Promise<Position>
  /** Raw: also of the server's own streams. Undefined for a stream without events. */
  lastOf: (stream: string) => Promise<Recorded | undefined>
}>

/** The server writes records of its own between ours. */
const LAST_RECORDS = 100

type ReaderOptions = Readonly<{ connection: Connection; lastSeen: LastSeen; check: LogCheck; closed: AbortSignal; times: ReadTimes }>

export function createReader({ lastSeen, check, ...options }: ReaderOptions): Reader {
  const read = readWithRetries({ ...options, confirm: check.confirm })
  return {
    readStream: async (stream, options = {}) => {
      if (options.limit === 0) return []
      return eventsOf(await read(stream, () => readStreamRequest(stream, options)))
    },
    readAll: async (after, limit) => {
      const batch = await readAhead(read, after, limit)
      lastSeen.see(batch.events.at(-1))
      return batch
    },
    head: async () => {
      const [last] = await read('$all', readLastRequest)
      return last?.event.position ?? START
    },
    learnHead: async () => {
      const records = await read('$all', () => readLastRequest(LAST_RECORDS))
      lastSeen.see(eventsOf(records)[0])
      return records[0]?.event.position ?? START
    },
    lastOf: async (stream) => (await read(stream, () => readStreamRequest(stream, { direction: 'backwards', limit: 1 })))[0],
  }
}

const eventsOf = (records: readonly Recorded[]): readonly RecordedEvent[] =>
  records.filter(({ isOfServer }) => !isOfServer).map(({ event }) => event)

const SMALLEST_PAGE = 64

/**
 * At most `limit` events after `after`. Pages full of the server's own events are skipped: the result is empty only at the end of the log.
 */
export async function readAhead(read: ReadWithRetries, after: Position | 'start', limit: number): Promise<Batch> {
  let batch: Batch = { events: [], to: after === 'start' ? START : after, caughtUp: false }
  while (limit > 0 && batch.events.length === 0 && !batch.caughtUp) batch = await page(read, batch.to, limit)
  return batch
}

const page = async (read: ReadWithRetries, after: Position, limit: number): Promise<Batch> => {
  const from = comparePositions(after, START) === 0 ? 'start' : after
  // One more than wanted: the wire includes the position itself.
  const asked = Math.max(limit, SMALLEST_PAGE) + 1
  const recorded = await read('$all', () => readAllRequest(from, asked))
  const events: RecordedEvent[] = []
  let to = after
  for (const { event, isOfServer } of recorded) {
    if (comparePositions(event.position, after) <= 0) continue
    if (!isOfServer && events.length === limit) return { events, to, caughtUp: false }
    if (!isOfServer) events.push(event)
    to = event.position
  }
  return { events, to, caughtUp: recorded.length < asked }
}
