import { type Batch, comparePositions, type Position, type RecordedEvent, START } from '../port.ts'
import { readAllRequest } from './read-requests.ts'
import type { ReadWithRetries } from './read-with-retries.ts'

const SMALLEST_PAGE = 64

/**
 * At most `limit` events after `after`. Pages full of the server's own events are skipped: the result is empty only at the end of the log.
 */
export async function readLog(read: ReadWithRetries, after: Position | 'start', limit: number): Promise<Batch> {
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
