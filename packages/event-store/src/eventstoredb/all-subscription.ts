import { type Batch, comparePositions, type Position, type RecordedEvent, START } from '../port.ts'
import { aborted } from '../waiting.ts'
import type { Connection } from './connection.ts'
import { decodeEvent, positionOf } from './decode-event.ts'
import type { streams } from './protobuf.ts'
import { readCall } from './read-call.ts'
import { subscribeRequest } from './read-requests.ts'
import { within } from './within.ts'

type Options = Readonly<{
  connection: Connection
  after: Position
  signal: AbortSignal
  head: () => Promise<Position>
  /** Silence after which an idle subscription is compared with `head()`; where they agree it says so with an empty batch. */
  heartbeatMs: number
}>

/** What the call may run ahead of the batches: past either, HTTP/2 flow control holds the server back. */
const MAX_BUFFERED = { events: 2_000, bytes: 4 * 1024 * 1024 }

type Buffer = {
  events: RecordedEvent[]
  bytes: number
  to: Position
  live: boolean
  ended: Readonly<{ error?: unknown }> | undefined
  /** Resolved by the pump when there is something to take, by the taker when there is room again. */
  news: PromiseWithResolvers<void>
  room: PromiseWithResolvers<void>
}

/** One connection's worth of `$all` after a position, in batches of what is there. Ends or throws as the call does. */
export async function* allSubscription(options: Options): AsyncGenerator<Batch, void, undefined> {
  const gone = new AbortController()
  const unlink = aborted(options.signal, () => gone.abort())
  const buffer: Buffer = {
    ...{ events: [], bytes: 0, to: options.after, live: false, ended: undefined },
    ...{ news: Promise.withResolvers(), room: Promise.withResolvers() },
  }
  void pump(options, buffer, gone.signal)
  try {
    let position = options.after
    while (!gone.signal.aborted) {
      if (comparePositions(buffer.to, position) > 0) {
        await turn()
        position = buffer.to
        yield take(buffer)
      } else if (buffer.ended !== undefined) {
        if ('error' in buffer.ended) throw buffer.ended.error
        return
      } else if ((await within(options.heartbeatMs, buffer.news.promise)) === 'late' && (await agrees(options, buffer, position))) {
        yield { events: [], to: position, caughtUp: true }
      }
    }
  } finally {
    unlink()
    gone.abort()
    buffer.room.resolve()
  }
}

const pump = async ({ connection, after }: Options, buffer: Buffer, signal: AbortSignal): Promise<void> => {
  const from = comparePositions(after, START) === 0 ? 'start' : after
  try {
    for await (const response of readCall(connection, subscribeRequest(from), signal)) {
      put(buffer, response)
      while (!signal.aborted && isFull(buffer)) await buffer.room.promise
    }
    buffer.ended = {}
  } catch (error) {
    buffer.ended = { error }
  }
  buffer.news.resolve()
}

const put = (buffer: Buffer, response: streams.ReadResp): void => {
  const recorded = response.getEvent()?.getEvent()
  if (recorded === undefined) {
    buffer.live ||= response.hasCaughtUp()
    return
  }
  const event = decodeEvent(recorded)
  if (event !== undefined) {
    buffer.events.push(event)
    buffer.bytes += event.data.length + event.meta.length
  }
  buffer.to = positionOf(recorded)
  buffer.news.resolve()
}

/** What came with the same packet joins the batch: without it every batch is one event (measured: 91 110 batches of 91 110 events). */
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

const isFull = ({ events, bytes }: Buffer): boolean => events.length >= MAX_BUFFERED.events || bytes >= MAX_BUFFERED.bytes

const take = (buffer: Buffer): Batch => {
  const batch = { events: buffer.events, to: buffer.to, caughtUp: buffer.live }
  buffer.events = []
  buffer.bytes = 0
  buffer.news = Promise.withResolvers()
  buffer.room.resolve()
  buffer.room = Promise.withResolvers()
  return batch
}

/** Whether the log really ends where this subscription stands. News, or an end, is an answer too. */
const agrees = async ({ head }: Options, buffer: Buffer, position: Position): Promise<boolean> => {
  const last = await Promise.race([head(), buffer.news.promise])
  return last !== undefined && buffer.ended === undefined && comparePositions(last, position) <= 0
}
