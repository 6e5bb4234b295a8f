import { Unavailable } from '../errors.ts'
import { type Batch, comparePositions, type Position, type ReadStreamOptions, type RecordedEvent, START } from '../port.ts'
import { backoffDelay, pause } from '../waiting.ts'
import { readFailure } from './call-failure.ts'
import type { Connection } from './connection.ts'
import { decodeEvent, positionOf } from './decode-event.ts'
import type { streams } from './protobuf.ts'
import { readCall } from './read-call.ts'
import { readAllRequest, readLastRequest, readStreamRequest } from './read-requests.ts'

type Recorded = streams.ReadResp.ReadEvent.RecordedEvent

/** Milliseconds: of silence in one read, and of trying altogether. */
export type ReadTimes = Readonly<{ silenceMs: number; deadlineMs: number }>

export const READ_TIMES: ReadTimes = { silenceMs: 5_000, deadlineMs: 10_000 }

const SMALLEST_PAGE = 64

export type Reader = Readonly<{
  readStream: (stream: string, options?: ReadStreamOptions) => Promise<readonly RecordedEvent[]>
  readAll: (after: Position | 'start', limit: number) => Promise<Batch>
  head: () => Promise<Position>
  /** Raw: also of the server's own streams. Undefined for a stream without events. */
  lastOf: (stream: string) => Promise<Recorded | undefined>
  close: () => void
}>

/** Reads are repeated whole until their deadline, then rejected with Unavailable. */
export const createReader = (connection: Connection, times: Partial<ReadTimes> = {}): Reader => {
  const { silenceMs, deadlineMs } = { ...READ_TIMES, ...times }
  const closed = new AbortController()

  const once = async (request: streams.ReadReq): Promise<Recorded[]> => {
    const silence = new AbortController()
    const timer = setTimeout(() => silence.abort(), silenceMs)
    const recorded: Recorded[] = []
    try {
      for await (const response of readCall(connection, request, AbortSignal.any([silence.signal, closed.signal]))) {
        timer.refresh()
        const event = response.getEvent()?.getEvent()
        if (event !== undefined) recorded.push(event)
      }
    } finally {
      clearTimeout(timer)
    }
    if (silence.signal.aborted) throw new Unavailable(`EventStoreDB said nothing for ${silenceMs} ms`)
    if (closed.signal.aborted) throw new Unavailable('the event store is closed')
    return recorded
  }
  const read = async (what: string, request: () => streams.ReadReq): Promise<Recorded[]> => {
    const until = performance.now() + deadlineMs
    for (let attempt = 1; ; attempt++) {
      try {
        return await once(request())
      } catch (caught) {
        const { error, again } = readFailure(what, caught)
        const wait = backoffDelay(attempt)
        if (!again || closed.signal.aborted || performance.now() + wait >= until) throw error
        await pause(wait, closed.signal)
      }
    }
  }
  const readStream = async (stream: string, options: ReadStreamOptions = {}): Promise<readonly RecordedEvent[]> => {
    if (options.limit === 0) return []
    const recorded = await read(stream, () => readStreamRequest(stream, options))
    return recorded.map(decodeEvent).filter((event) => event !== undefined)
  }
  const readAll = async (after: Position | 'start', limit: number): Promise<Batch> => {
    let batch: Batch = { events: [], to: after === 'start' ? START : after, caughtUp: false }
    // Pages full of the server's own events are walked over: whoever asks for one event gets one, if there is one.
    while (batch.events.length === 0 && !batch.caughtUp) batch = await page(batch.to, limit)
    return batch
  }
  const page = async (after: Position, limit: number): Promise<Batch> => {
    const from = comparePositions(after, START) === 0 ? 'start' : after
    const asked = Math.max(limit, SMALLEST_PAGE) + 1
    const recorded = await read('$all', () => readAllRequest(from, asked))
    const events: RecordedEvent[] = []
    let to = after
    for (const each of recorded) {
      const position = positionOf(each)
      // The wire includes the position itself.
      if (comparePositions(position, after) <= 0) continue
      const event = decodeEvent(each)
      if (event !== undefined && events.length === limit) return { events, to, caughtUp: false }
      if (event !== undefined) events.push(event)
      to = position
    }
    return { events, to, caughtUp: recorded.length < asked }
  }
  return {
    readStream,
    readAll,
    head: async () => {
      const [last] = await read('$all', readLastRequest)
      return last === undefined ? START : positionOf(last)
    },
    lastOf: async (stream) => (await read(stream, () => readStreamRequest(stream, { direction: 'backwards', limit: 1 })))[0],
    close: () => closed.abort(),
  }
}
